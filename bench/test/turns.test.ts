import { expect } from 'chai';
import type { RunningServer } from '../server.ts';
import { orderOf, takeTurns } from '../turns.ts';

describe('orderOf', () => {
  it('gives each name each place once, and lets it follow each other name once', () => {
    const orders = [0, 1, 2, 3].map((turn) => orderOf(['a', 'b', 'c', 'd'], turn).join(''));
    expect(orders).to.deep.equal(['abdc', 'bcad', 'cdba', 'dacb']);
    expect(orderOf(['a', 'b'], 1)).to.deep.equal(['b', 'a']);
  });
});

describe('takeTurns', () => {
  it('measures each load in every turn, and does not count the first', async () => {
    const measured: string[] = [];
    const measure = async ({ name }: RunningServer) => {
      measured.push(name);
      return { requests: measured.length, seconds: 2 } as never;
    };
    const load = { requests: [], connections: 1, seconds: 1 };
    const server = (name: string) => ({ name }) as RunningServer;
    const loads = { one: [server('baseline'), load], two: [server('service'), load] } as const;
    const turns = await takeTurns({ measure, vacuum: async () => {} }, 'test', loads, 2);
    expect(measured).to.deep.equal(['baseline', 'service', 'service', 'baseline', 'baseline', 'service']);
    expect(turns.map(({ one, two }) => [one.requests, two.requests])).to.deep.equal([
      [4, 3],
      [5, 6],
    ]);
  });
});
