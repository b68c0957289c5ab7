import { expect } from 'chai';
import { DIVISIONS, NORTH, useBulk } from './in-bulk.ts';

const LINES = 10_000;

/** A file of users, in lines 2 to {@link LINES}; the header is line 1. */
const csvOf = (usernames: readonly string[]): string =>
  `username,division_id\n${usernames.map((username) => `${username},${NORTH}\n`).join('')}`;

describe('chapter import of ten thousand lines', () => {
  const { done, fault, file, sql, stored } = useBulk();
  const usernames = Array.from({ length: LINES - 1 }, (_, at) => `member-${at + 2}`);
  before(async () => done('import', '--divisions', await file('divisions.csv', DIVISIONS)));

  it('names the one that repeats an earlier one by its number, however late, and stores none', async () => {
    const users = await file('users.csv', csvOf(usernames.with(9000 - 2, 'MEMBER-17')));
    expect(await fault('import', '--users', users)).to.equal(
      'users.csv, line 9000: username is that of line 17 already\n1 bad line; nothing was imported.\n',
    );
    expect(await stored()).to.deep.equal([2, 0, 2]);
  });

  it('stores all, and leaves the same indexes', async () => {
    const indexes = () => sql('select indexname, indexdef from pg_indexes order by indexname');
    const before = await indexes();
    expect(await done('import', '--users', await file('users.csv', csvOf(usernames)))).to.include({ users: LINES - 1 });
    expect(await stored()).to.deep.equal([2, LINES - 1, LINES + 1]);
    expect(await indexes()).to.deep.equal(before);
  });
});
