import { readFileSync } from 'node:fs';
import { guessable, makePasswordCheck, parseUuid } from '@chapter/domain';
import { expect } from 'chai';
import { commonPasswords } from '../../src/passwords/common-passwords.ts';
import { systemClock } from '../../src/system/system-clock.ts';
import { uuidIds } from '../../src/system/uuid-ids.ts';
import { randomRefreshTokens } from '../../src/tokens/random-refresh-tokens.ts';

describe('The clock', () => {
  it('tells the time in UTC with milliseconds', () => {
    expect(systemClock.now()).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('The ids', () => {
  const ids = Array.from({ length: 10_000 }, () => uuidIds.next());

  it('are UUIDs of version 7 in lower case', () => {
    expect(ids.every((id) => parseUuid(id) === id && id[14] === '7')).to.equal(true);
  });

  it('are all different, and in the order in which they were given', () => {
    expect(ids.every((id, at) => at === 0 || (ids[at - 1] ?? '') < id)).to.equal(true);
  });
});

describe('Refresh tokens', () => {
  it('have 256 random bits, and a digest by which they are found again', () => {
    const { digest, token } = randomRefreshTokens.issue();
    expect(token).to.match(/^[A-Za-z0-9_-]{43}$/);
    expect(digest)
      .to.match(/^[0-9a-f]{64}$/)
      .and.to.equal(randomRefreshTokens.digestOf(token));
    expect(randomRefreshTokens.issue().token).not.to.equal(token);
  });

  it('have the SHA-256 as their digest', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(randomRefreshTokens.digestOf('')).to.equal(empty);
  });
});

describe('The common passwords', () => {
  const list = readFileSync('packages/app/data/common-passwords.txt', 'utf8').trim().split('\n');

  it('are 10,000 lines, of which none is repeated', () => {
    expect(list).to.have.lengthOf(10_000);
    expect(new Set(list).size).to.equal(10_000);
  });

  it('are refused as new passwords, each of them, in any letter case', () => {
    const accepts = (password: string): boolean =>
      'value' in makePasswordCheck(8)(password) && guessable(password, commonPasswords, []) === undefined;
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
