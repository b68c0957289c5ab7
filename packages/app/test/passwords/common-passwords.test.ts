import { readFileSync } from 'node:fs';
import { guessableFaults, makePasswordCheck } from '@chapter/domain/api';
import { expect } from 'chai';
import { commonPasswords } from '../../src/passwords/common-passwords.ts';

describe('The common passwords', () => {
  const list = readFileSync('packages/app/data/common-passwords.txt', 'utf8').trim().split('\n');

  it('are 10,000 different lines', () => {
    expect(list).to.have.lengthOf(10_000);
    expect(new Set(list).size).to.equal(10_000);
  });

  it('are all rejected as new passwords, in any letter case', () => {
    const accepts = (password: string): boolean =>
      'value' in makePasswordCheck(8)(password) && guessableFaults(password, commonPasswords, []).length === 0;
    for (const spelling of [(line: string) => line, (line: string) => line.toUpperCase()]) {
      expect(list.map(spelling).filter(accepts)).to.deep.equal([]);
    }
    expect(accepts('chapter-demo')).to.equal(true);
  });

  it('include repeats and sequences', () => {
    for (const tried of ['00000000', '987654321', '123123123'])
      expect(commonPasswords.has(tried), tried).to.equal(true);
  });
});
