import { expect } from 'chai';
import { NORTH, useBulk } from '../cli/in-bulk.ts';

describe('A file that chapter import is given', () => {
  const { chapter, fault, file, path, stored } = useBulk();

  const unusable: Readonly<Record<string, readonly [csv: string | Uint8Array, sentence: string | RegExp]>> = {
    'is empty': ['', 'users.csv is empty; its first line must be the names of the columns.'],
    'has a header only': [
      'username,division_id\n',
      'users.csv has no lines below its header; there is nothing to import.',
    ],
    'has blank lines only': [
      '\n\r\n',
      'users.csv has blank lines only; its first line must be the names of the columns.',
    ],
    'misses a column': [
      `username\nada\n`,
      'users.csv, line 1: "division_id" is missing; add it to the header and to every line.',
    ],
    'has a column that is misspelt': [
      `usernaem,division_id,username\n`,
      'users.csv, line 1: there is no column "usernaem"; did you mean username?',
    ],
    'has a column that nobody knows': [
      `username,division_id,shoe size\n`,
      /^users.csv, line 1: there is no column "shoe size"; the columns are username, division_id, id, .*\.$/,
    ],
    'has a column twice': [
      `username,division_id,username\n`,
      'users.csv, line 1: "username" is there twice; take one away.',
    ],
    'has semicolons': [
      `username;division_id\n`,
      'users.csv, line 1: the columns are separated by ";"; save the file with commas.',
    ],
    'has Latin-1 bytes': [
      Buffer.from(
        `username,division_id,first_name\nada,${NORTH},Zo\u00eb\n`.replace('ada', `bob,${NORTH},\nada`),
        'latin1',
      ),
      'users.csv, line 3: this is not UTF-8 (perhaps Latin-1); save the file as "CSV UTF-8".',
    ],
    'is UTF-16': [
      Buffer.from('\ufeffusername', 'utf16le'),
      'users.csv, line 1: this is UTF-16; save the file as "CSV UTF-8".',
    ],
    'has a quotation mark that nothing closes': [
      `username,division_id\nada,${NORTH}\nbob,"${NORTH}\n${'x\n'.repeat(10)}`,
      /^users.csv, line 3: a quotation mark opens here that nothing closes; a value with quotation marks/,
    ],
    'has a quotation mark within a value': [
      `username,division_id\nada,${NORTH}\nb"ob,${NORTH}\n`,
      /^users.csv, line 3: there is a quotation mark within a value; /,
    ],
    'has text behind a quotation mark': [
      `username,division_id\n"ada"x,${NORTH}\n`,
      /^users.csv, line 2: there is text behind a closing quotation mark; /,
    ],
  };
  for (const [what, [csv, sentence]] of Object.entries(unusable)) {
    it(`is refused in one sentence where it ${what}`, async () => {
      const err = await fault('import', '--users', await file('users.csv', csv));
      if (typeof sentence === 'string') expect(err).to.equal(`${sentence}\n`);
      else expect(err.trimEnd()).to.match(sentence);
      expect(await stored()).to.deep.equal([0, 0, 0]);
    });
  }

  it('is told from one that cannot be read', async () => {
    expect(await fault('import', '--users', path('none.csv'))).to.match(
      /none.csv cannot be read: there is no such file/,
    );
    expect(await fault('import', '--users', path(''))).to.match(/cannot be read: it is a directory/);
    expect(await fault('import', '--users', '/dev/null')).to.match(/is read more than once, so it must be a file/);
    expect((await chapter('import')).status).to.equal(2);
    expect((await chapter('import')).err).to.include('name a file with --divisions, --users or both');
  });
});
