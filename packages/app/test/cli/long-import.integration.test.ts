import { expect } from 'chai';
import { DIVISIONS, NORTH, useBulk } from './in-bulk.ts';

const LINES = 10_000;

describe('chapter import of ten thousand lines', () => {
  const { done, fault, file, stored } = useBulk();

  it('names the one that repeats an earlier one by its number, however late, and stores none', async () => {
    await done('import', '--divisions', await file('divisions.csv', DIVISIONS));
    // The header is line 1.
    const usernames = Array.from({ length: LINES - 1 }, (_, at) => `member-${at + 2}`);
    usernames[9000 - 2] = 'MEMBER-17';
    const csv = `username,division_id\n${usernames.map((username) => `${username},${NORTH}\n`).join('')}`;
    expect(await fault('import', '--users', await file('users.csv', csv))).to.equal(
      'users.csv, line 9000: username is that of line 17 already\n1 bad line; nothing was imported.\n',
    );
    expect(await stored()).to.deep.equal([2, 0, 2]);
    const mended = csv.replace('MEMBER-17', 'member-9000');
    expect(await done('import', '--users', await file('users.csv', mended))).to.include({ users: LINES - 1 });
  });
});
