import { expect } from 'chai';
import { batched } from '../../src/connection/runner.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const NEVER_MS = 60_000;

describe('batched', () => {
  it('combines the look-ups of one turn of the event loop, and gives each its own value', async () => {
    const batches: (readonly number[])[] = [];
    const double = batched(async (keys: readonly number[]) => {
      batches.push(keys);
      return keys.map((key) => key * 2);
    });
    const early = double(1);
    await Promise.resolve();
    expect(await Promise.all([early, double(2), double(1)])).to.deep.equal([2, 4, 2]);
    expect(await double(3)).to.equal(6);
    expect(batches).to.deep.equal([[1, 2, 1], [3]]);
  });

  it('gathers look-ups while a batch is running, and takes none of their values from that batch', async () => {
    let stored = 'old';
    const batches: (readonly string[])[] = [];
    const responses: (() => void)[] = [];
    const read = batched((keys: readonly string[]) => {
      batches.push(keys);
      const seen = keys.map((key) => `${stored} ${key}`);
      return new Promise<readonly string[]>((resolve) => responses.push(() => resolve(seen)));
    }, NEVER_MS);
    const first = read('a');
    await nextTurn();
    stored = 'new';
    const second = read('a');
    await nextTurn();
    const third = read('b');
    await nextTurn();
    expect(batches).to.deep.equal([['a']]);
    responses.shift()?.();
    expect(await first).to.equal('old a');
    while (responses.length === 0) await nextTurn();
    responses.shift()?.();
    expect([await second, await third]).to.deep.equal(['new a', 'new b']);
    expect(batches).to.deep.equal([['a'], ['a', 'b']]);
  });

  it('sends the next batch while an earlier one gets no response', async () => {
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

  it('rejects all look-ups of a batch that fails, and no later ones', async () => {
    let fails = true;
    const read = batched(async (keys: readonly number[]) => {
      if (fails) throw new Error('unavailable');
      return keys;
    });
    const outcomes = await Promise.allSettled([read(1), read(2)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await read(3)).to.equal(3);
  });

  it('puts at most 500 look-ups into a batch, and looks none up twice', async () => {
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
