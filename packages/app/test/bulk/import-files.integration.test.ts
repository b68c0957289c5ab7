import { expect } from 'chai';
import { NORTH, useBulk } from '../cli/in-bulk.ts';

describe('A file for chapter import', () => {
  const { chapter, fault, file, path, stored } = useBulk();

  const unusable: Readonly<Record<string, readonly [csv: string | Uint8Array, sentence: string | RegExp]>> = {
    'is empty': ['', 'users.csv is empty; its first line must contain the column names.'],
    'contains only a header': [
      'username,division_id\n',
      'users.csv has no rows below its header; there is nothing to import.',
    ],
    'contains only blank lines': [
      '\n\r\n',
      'users.csv contains only blank lines; its first line must contain the column names.',
    ],
    'lacks a required column': [
      `division_id\n${NORTH}\n`,
      'users.csv, line 1: "username" is missing; add it to the header and to every line.',
    ],
    'has no column of the division': [
      `username\nada\n`,
      'users.csv, line 1: the header must have one of the columns "division_id", "division".',
    ],
    'misspells a column': [
      `usernaem,division_id,username\n`,
      'users.csv, line 1: unknown column "usernaem"; did you mean username?',
    ],
    'has an unknown column': [
      `username,division_id,shoe size\n`,
      /^users.csv, line 1: unknown column "shoe size"; the columns are username, division_id, division, id, .*\.$/,
    ],
    'repeats a column': [`username,division_id,username\n`, 'users.csv, line 1: "username" appears twice; remove one.'],
    'separates columns by semicolons': [
      `username;division_id\n`,
      'users.csv, line 1: the columns are separated by ";"; save the file with commas.',
    ],
    'has Latin-1 bytes': [
      Buffer.from(
        `username,division_id,first_name\nada,${NORTH},Zo\u00eb\n`.replace('ada', `bob,${NORTH},\nada`),
        'latin1',
      ),
      'users.csv, line 3: the text is not UTF-8 (perhaps Latin-1); save the file as "CSV UTF-8".',
    ],
    'is UTF-16': [
      Buffer.from('\ufeffusername', 'utf16le'),
      'users.csv, line 1: the text is UTF-16; save the file as "CSV UTF-8".',
    ],
    'has an unclosed quotation mark': [
      `username,division_id\nada,${NORTH}\nbob,"${NORTH}\n${'x\n'.repeat(10)}`,
      /^users.csv, line 3: a quotation mark is not closed; put a value with quotation marks/,
    ],
    'has a quotation mark in an unquoted value': [
      `username,division_id\nada,${NORTH}\nb"ob,${NORTH}\n`,
      /^users.csv, line 3: an unquoted value contains a quotation mark; /,
    ],
    'has text after a closing quotation mark': [
      `username,division_id\n"ada"x,${NORTH}\n`,
      /^users.csv, line 2: text follows a closing quotation mark; /,
    ],
  };
  for (const [what, [csv, sentence]] of Object.entries(unusable)) {
    it(`is refused with one sentence if it ${what}`, async () => {
      const err = await fault('import', '--users', await file('users.csv', csv));
      if (typeof sentence === 'string') expect(err).to.equal(`${sentence}\n`);
      else expect(err.trimEnd()).to.match(sentence);
      expect(await stored()).to.deep.equal([0, 0, 0]);
    });
  }

  it('is refused with the reason if it cannot be read', async () => {
    // The command may run in another folder than the one in which the operator has the file.
    expect(await fault('import', '--users', 'none.csv')).to.equal(
      `${process.cwd()}/none.csv cannot be read: no such file or directory.\n`,
    );
    expect(await fault('import', '--users', path(''))).to.match(/cannot be read: it is a directory/);
    expect(await fault('import', '--users', '/dev/null')).to.match(/is not a regular file/);
    expect((await chapter('import')).status).to.equal(2);
    expect((await chapter('import')).err).to.include('name a file with --divisions, --users or both');
  });
});
