import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { randomPersonalTokens, randomRefreshTokens } from '../../src/tokens/random-tokens.ts';

describe('Personal access tokens of the service', () => {
  const issue = () => randomPersonalTokens.issue();
  const digestOf = (token: string) => randomPersonalTokens.digestOf(token);

  it('match the pattern of the contract, and have 256 random bits and digests for lookups', () => {
    const [, pattern = ''] = /matches `(chapter_pat_[^`]+)`/.exec(readFileSync('docs/contract.md', 'utf8')) ?? [];
    const [{ digest, token }, other] = [issue(), issue()];
    expect(token).to.match(new RegExp(`^${pattern}$`));
    expect(new Set([token, other.token].map((text) => text.slice(12, 76))).size).to.equal(2);
    expect(digest)
      .to.match(/^[0-9a-f]{64}$/)
      .and.to.equal(digestOf(token));
  });

  it('end with the CRC-32 of all before it, and use SHA-256 as their digest', () => {
    // Computed by Python's zlib.crc32 and hashlib.sha256.
    const token = `chapter_pat_${'0'.repeat(64)}f2cfc3a7`;
    expect(digestOf(token)).to.equal('b55c4085af5f5b66908c93868edbaf9b84764fc76d77a673bd41951c4eb53e02');
    for (const wrong of [
      token.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
      token.replace('_0', '_1'),
      token.toUpperCase(),
      `${token}\n`,
      ` ${token}`,
      `${token}00`,
      'chapter_pat_',
      '',
    ]) {
      expect(digestOf(wrong), wrong).to.equal(null);
    }
  });
});

describe('Refresh tokens', () => {
  it('have 256 random bits beside those of their family, and digests for lookups', () => {
    const { digest, token } = randomRefreshTokens.issue();
    expect(token).to.match(/^[A-Za-z0-9_-]{67}$/);
    expect(digest)
      .to.match(/^[0-9a-f]{64}$/)
      .and.to.equal(randomRefreshTokens.digestsOf(token).digest);
    expect(randomRefreshTokens.issue(token).token.slice(0, 24)).to.equal(token.slice(0, 24));
    expect(randomRefreshTokens.issue().token).not.to.equal(token);
  });

  it('use SHA-256 as their digest', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(randomRefreshTokens.digestsOf('').digest).to.equal(empty);
  });
});
