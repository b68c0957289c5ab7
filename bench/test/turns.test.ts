import { expect } from 'chai';
import { takeTurns } from '../turns.ts';

describe('takeTurns', () => {
  it('measures all servers in every turn, in alternating order, and does not count the first', async () => {
    const measured: string[] = [];
    const contestant = (name: string) => {
      const measure = async ({ connections }: { readonly connections: number }) => {
        measured.push(`${name} ${connections}`);
        return { requests: measured.length, seconds: 2 } as never;
      };
      return { server: { name, measure, vacuum: async () => ({}) as never }, world: {} as never };
    };
    const kinds = [{ name: 'test', request: () => ({}) as never, goals: {} }];
    const settings = { kinds, connections: [1, 8], rounds: 2, seconds: 1, pause: 0 };
    const [one, eight] = await takeTurns([contestant('a'), contestant('b')], settings);
    expect(measured.slice(0, 6)).to.deep.equal(['a 1', 'b 1', 'b 1', 'a 1', 'a 1', 'b 1']);
    expect(measured.slice(6)).to.deep.equal(measured.slice(0, 6).map((text) => text.replace('1', '8')));
    expect(one?.turns.map((turn) => turn.map(({ requests }) => requests))).to.deep.equal([
      [4, 3],
      [5, 6],
    ]);
    expect(eight?.connections).to.equal(8);
  });
});
