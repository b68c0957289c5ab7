import { readFileSync } from 'node:fs';
import { guessableFault, makePasswordCheck } from '@chapter/domain';
import { expect } from 'chai';
import { commonPasswords } from '../../src/passwords/common-passwords.ts';

describe('The common passwords', () => {
  const list = readFileSync('packages/app/data/common-passwords.txt', 'utf8').trim().split('\n');

  it('are 10,000 lines, of which none is repeated', () => {
    expect(list).to.have.lengthOf(10_000);
    expect(new Set(list).size).to.equal(10_000);
  });

  it('are refused as new passwords, each of them, in any letter case', () => {
    const accepts = (password: string): boolean =>
      'value' in makePasswordCheck(8)(password) && guessableFault(password, commonPasswords, []) === undefined;
    for (const spelling of [(line: string) => line, (line: string) => line.toUpperCase()]) {
      expect(list.map(spelling).filter(accepts)).to.deep.equal([]);
    }
    expect(accepts('chapter-demo')).to.equal(true);
  });

  it('include repeats and sequences', () => {
    for (const tried of ['00000000', '987654321', '123123123'])
      expect(commonPasswords.has(tried), tried).to.equal(true);
  });

  it('include nothing else', () => {
    for (const good of ['chapter-demo', 'correct horse battery staple', '']) {
      expect(commonPasswords.has(good), good).to.equal(false);
    }
  });
});
