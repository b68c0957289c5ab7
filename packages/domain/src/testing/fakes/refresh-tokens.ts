import type { RefreshTokens } from '../../ports/tokens.ts';
import { fakeDigest } from './fake-digest.ts';

const FAKE_FAMILY_LENGTH = 24;

const digestsOf: RefreshTokens['digestsOf'] = (token) => ({
  digest: fakeDigest(token),
  family: fakeDigest(token.slice(0, FAKE_FAMILY_LENGTH)),
});

/** Returns predictable refresh tokens of 67 characters: 24 of the family, then 256 bits in base64url. */
export const makeFakeRefreshTokens = (): RefreshTokens => {
  let count = 0;
  return {
    issue: (previous) => {
      count += 1;
      const own = String(count);
      const family = previous?.slice(0, FAKE_FAMILY_LENGTH) ?? `family-${own.padStart(FAKE_FAMILY_LENGTH - 7, '0')}`;
      const token = `${family}refresh-token-${own.padStart(29, '0')}`;
      return { token, digest: fakeDigest(token) };
    },
    digestsOf,
  };
};
