import { expect } from 'chai';
import { skip } from '../../test-support/skip.ts';
import { type Kind, kindNamed, type World } from '../kinds.ts';
import type { LoadPlan } from '../load/load.ts';
import { measureDepth } from '../more/depth.ts';

const caller = { token: 'token' } as World['deepStaff'][number];
const cursors = { early: ['e1', 'e2'], deep: ['d1', 'd2', 'd3'] };
const world = { deepStaff: [caller], cursors } as unknown as World;
const server = { url: 'http://127.0.0.1:1', pid: process.pid };

const pathsOf = ({ requests }: LoadPlan): string => [...new Set(requests.map(({ path }) => path))].toSorted().join(' ');

describe('the bench at depth', () => {
  it('takes turns at the first page, at a deep one, and at all of either, once it is warm', async function () {
    if (process.platform !== 'linux') skip(this, 'what processes cost is read from /proc, which only Linux has');
    const kinds: Readonly<Record<'first' | 'deep', Kind>> = {
      first: kindNamed('first page of 100,000'),
      deep: kindNamed('deep page'),
    };
    const plans: LoadPlan[] = [];
    const lines: string[] = [];
    const found = await measureDepth(kinds, 2, {
      generator: {
        name: 'none',
        run: async (plan) => {
          plans.push(plan);
          return { requests: 100 * plans.length, seconds: plan.seconds, p50: 1, p99: 1, latencies: [], errors: 1 };
        },
      },
      databasePid: process.pid,
      vacuum: async () => {},
      floor: { ...server, name: 'floor' } as never,
      service: { ...server, name: 'service' } as never,
      world,
      connections: 3,
      seconds: 10,
      say: (line) => lines.push(line),
    });
    const [first, deep] = ['/api/users/', '/api/users/?cursor=d2'];
    const [manyEarly, manyDeep] = [cursors.early, cursors.deep].map((places) =>
      places.map((cursor) => `/api/users/?cursor=${cursor}`).join(' '),
    );
    const orders = [
      [first, deep, manyDeep, manyEarly],
      [deep, manyEarly, first, manyDeep],
      [manyEarly, manyDeep, deep, first],
    ];
    expect(plans.map(pathsOf)).to.deep.equal(orders.flat());
    expect(plans.every(({ seconds }) => seconds === 1)).to.equal(true);
    expect(found.seconds).to.equal(1);
    expect(found.pages).to.equal(3);
    const requests = found.turns.map((turn) => Object.entries(turn).map(([page, load]) => [page, load.requests]));
    expect(requests.map((of) => Object.fromEntries(of) as unknown)).to.deep.equal([
      { deep: 500, manyEarly: 600, first: 700, manyDeep: 800 },
      { manyEarly: 900, manyDeep: 1000, deep: 1100, first: 1200 },
    ]);
    expect(lines).to.have.lengthOf(3);
  });
});
