import { expect } from 'chai';
import { skip } from '../../test-support/skip.ts';
import { kindNamed, type World } from '../kinds.ts';
import type { LoadPlan, LoadResult } from '../load/load.ts';
import { runHalfLoad } from '../more/half-load.ts';

const caller = { token: 'token' } as World['deepStaff'][number];
const world = { deepStaff: [caller] } as unknown as World;
const [floor, service] = (['floor', 'service'] as const).map((name) => ({
  name,
  url: `http://${name}`,
  pid: process.pid,
}));

describe('the bench at half load', () => {
  it('puts half of what the service took on either server in turn, and counts all turns together', async function () {
    if (process.platform !== 'linux') skip(this, 'what processes cost is read from /proc, which only Linux has');
    const took = [400, 100, 200].map((requests) => ({
      service: { requests, seconds: 2 },
      floor: { requests: 9, seconds: 2 },
    }));
    const p99s = [10, 30, 900, 20, 12, 31];
    const plans: LoadPlan[] = [];
    const lines: string[] = [];
    const found = await runHalfLoad([{ kind: kindNamed('first page of 100,000'), rounds: took as never }], 3, {
      generator: {
        name: 'none',
        run: async (plan) => {
          plans.push(plan);
          const p99 = p99s[plans.length - 1] ?? 0;
          const latencies: LoadResult['latencies'] = [
            [p99, 4],
            [1, 96],
          ];
          return { requests: 100, seconds: plan.seconds, p50: 1, p99, latencies, errors: 1 };
        },
      },
      databasePid: process.pid,
      vacuum: async () => {},
      floor: floor as never,
      service: service as never,
      world,
      connections: 3,
      seconds: 2,
      say: (line) => lines.push(line),
    });
    expect(plans.map(({ url, rate, seconds }) => `${url} ${rate} ${seconds}`)).to.deep.equal(
      ['floor', 'service', 'service', 'floor', 'floor', 'service'].map((name) => `http://${name} 50 2`),
    );
    // Of the 300 answers of either server, three are slower than its p99 or as slow: what was slow in one turn is among them.
    expect(found).to.deep.equal([
      {
        name: 'first page of 100,000',
        rate: 50,
        floor: { p50: 1, p99: 20 },
        service: { p50: 1, p99: 900 },
        errors: 6,
      },
    ]);
    expect(lines).to.deep.equal([
      'half load, turn 1: first page of 100,000: p99 floor 10.00 ms, service 30.00 ms',
      'half load, turn 2: first page of 100,000: p99 floor 20.00 ms, service 900.00 ms',
      'half load, turn 3: first page of 100,000: p99 floor 12.00 ms, service 31.00 ms',
    ]);
  });
});
