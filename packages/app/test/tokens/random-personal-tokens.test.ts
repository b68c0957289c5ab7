import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { randomPersonalTokens } from '../../src/tokens/random-tokens.ts';

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
