import { expect } from 'chai';
import type { RunningServer } from '../server.ts';
import { takeTurns } from '../turns.ts';

describe('takeTurns', () => {
  it('measures both loads in every turn, in alternating order, and does not count the first', async () => {
    const measured: string[] = [];
    const measure = async ({ name }: RunningServer) => {
      measured.push(name);
      return { requests: measured.length, seconds: 2 } as never;
    };
    const client = { query: async () => {} } as never;
    const load = { requests: [], connections: 1, seconds: 1 };
    const server = (name: string) => ({ name }) as RunningServer;
    const loads = { one: [server('baseline'), load], two: [server('service'), load] } as const;
    const turns = await takeTurns({ measure, client }, 'test', loads, 2);
    expect(measured).to.deep.equal(['baseline', 'service', 'service', 'baseline', 'baseline', 'service']);
    expect(turns.map(({ one, two }) => [one.requests, two.requests])).to.deep.equal([
      [4, 3],
      [5, 6],
    ]);
  });
});
