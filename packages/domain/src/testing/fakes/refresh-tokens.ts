import type { RefreshTokens } from '../../ports/refresh-tokens.ts';
import { fakeDigest } from './fake-digest.ts';

/** Returns predictable refresh tokens of 43 characters, the length of 256 bits in base64url. */
export const makeFakeRefreshTokens = (): RefreshTokens => {
  let count = 0;
  return {
    issue: () => {
      count += 1;
      const token = `refresh-token-${String(count).padStart(29, '0')}`;
      return { token, digest: fakeDigest(token) };
    },
    digestOf: fakeDigest,
  };
};
