import { expect } from 'chai';
import { batched } from '../src/connection/runner.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Longer than any test. */
const LONG = 60_000;

describe('batched', () => {
  it('makes one look-up of all questions of one turn of the event loop, each with its own answer', async () => {
    const asked: (readonly number[])[] = [];
    const double = batched(async (keys: readonly number[]) => {
      asked.push(keys);
      return keys.map((key) => key * 2);
    });
    const early = double(1);
    await Promise.resolve();
    expect(await Promise.all([early, double(2), double(1)])).to.deep.equal([2, 4, 2]);
    expect(await double(3)).to.equal(6);
    expect(asked).to.deep.equal([[1, 2, 1], [3]]);
  });

  it('gathers what is asked while a look-up is under way, and answers none of it from that one', async () => {
    let stored = 'old';
    const asked: (readonly string[])[] = [];
    const answers: (() => void)[] = [];
    const read = batched((keys: readonly string[]) => {
      asked.push(keys);
      const seen = keys.map((key) => `${stored} ${key}`);
      return new Promise<readonly string[]>((resolve) => answers.push(() => resolve(seen)));
    }, LONG);
    const first = read('a');
    await nextTurn();
    stored = 'new';
    const second = read('a');
    await nextTurn();
    const third = read('b');
    await nextTurn();
    expect(asked).to.deep.equal([['a']]);
    answers.shift()?.();
    expect(await first).to.equal('old a');
    while (answers.length === 0) await nextTurn();
    answers.shift()?.();
    expect([await second, await third]).to.deep.equal(['new a', 'new b']);
    expect(asked).to.deep.equal([['a'], ['a', 'b']]);
  });

  it('goes on without a look-up that gets no answer', async () => {
    const read = batched(
      (keys: readonly string[]): Promise<readonly string[]> =>
        keys.includes('silent') ? new Promise(() => {}) : Promise.resolve(keys),
      1,
    );
    void read('silent');
    await nextTurn();
    expect(await Promise.all([read('a'), read('b')])).to.deep.equal(['a', 'b']);
    expect(await read('c')).to.equal('c');
  });

  it('refuses all who shared a look-up that failed, and no later one', async () => {
    let fails = true;
    const read = batched(async (keys: readonly number[]) => {
      if (fails) throw new Error('away');
      return keys;
    });
    const outcomes = await Promise.allSettled([read(1), read(2)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await read(3)).to.equal(3);
  });

  it('asks for no more than 500 at a time, and for none twice', async () => {
    const sizes: number[] = [];
    const read = batched(async (keys: readonly number[]) => {
      sizes.push(keys.length);
      return keys;
    });
    const keys = Array.from({ length: 1203 }, (_, key) => key);
    expect(await Promise.all(keys.map((key) => read(key)))).to.deep.equal(keys);
    expect(sizes).to.deep.equal([500, 500, 203]);
  });
});
