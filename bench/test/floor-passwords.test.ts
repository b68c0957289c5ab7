import { expect } from 'chai';
import { inTurn } from '../floor/passwords.ts';

describe('the floor', () => {
  it('hashes two passwords at a time, and the next as soon as either is done or has failed', async () => {
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const all = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) =>
      inTurn(() => {
        begun.push(name);
        const end = Promise.withResolvers<void>();
        ends.set(name, end);
        return end.promise;
      }).catch(({ message }: Error) => message),
    );
    const soon = () => new Promise((resolve) => setImmediate(resolve));
    await soon();
    expect(begun).to.deep.equal(['first', 'second']);
    ends.get('second')?.resolve();
    await soon();
    expect(begun).to.deep.equal(['first', 'second', 'third']);
    ends.get('third')?.reject(new Error('no'));
    await soon();
    expect(begun).to.deep.equal(['first', 'second', 'third', 'fourth']);
    for (const name of ['first', 'fourth']) ends.get(name)?.resolve();
    await soon();
    ends.get('fifth')?.resolve();
    expect(await Promise.all(all)).to.deep.equal([undefined, undefined, 'no', undefined, undefined]);
  });
});
