import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Runner } from '../../src/connection/statement.ts';
import { onlyFrom } from '../../src/lists/read-page.ts';
import { makeUserDirectory } from '../../src/users/user-directory.ts';

const unused = (): never => expect.fail('is not used');

describe('The counts of a user directory', () => {
  it('run for two divisions at once, and once for each, so that others keep connections', async () => {
    const running: { readonly division: unknown; readonly end: () => void }[] = [];
    const reader: Runner = {
      query: (_, values) =>
        new Promise((resolve) => {
          running.push({ division: values.find((value) => String(value).length === 1), end: () => resolve([]) });
        }),
    };
    const directory = makeUserDirectory({ query: unused }, onlyFrom(reader), unused);
    const query = { joinedSince: '2025-01-01', dormantOn: '2025-01-01', limit: 10 };
    const counts = ['a', 'a', 'a', 'b', 'c'].map((division) => directory.count(division, query));
    const begun: unknown[][] = [];
    for (let ended = 0; ended < counts.length; ended += 1) {
      await setImmediate();
      begun.push(running.slice(ended).map(({ division }) => division));
      running[ended]?.end();
    }
    await Promise.all(counts);
    expect(begun).to.deep.equal([['a', 'b'], ['b', 'c'], ['c', 'a'], ['a'], ['a']]);
  });
});
