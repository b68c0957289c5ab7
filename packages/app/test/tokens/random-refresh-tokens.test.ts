import { expect } from 'chai';
import { randomRefreshTokens } from '../../src/tokens/random-tokens.ts';

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
