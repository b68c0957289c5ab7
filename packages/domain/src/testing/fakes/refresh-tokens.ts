import type { RefreshTokens } from '../../ports/refresh-tokens.ts';
import { fingerprint } from './fingerprint.ts';

/** Refresh tokens that can be foreseen, of 43 characters as 256 bits have in base64url. */
export const makeFakeRefreshTokens = (): RefreshTokens => {
  let count = 0;
  return {
    issue: () => {
      count += 1;
      const token = `refresh-token-${String(count).padStart(29, '0')}`;
      return { token, digest: fingerprint(token) };
    },
    digestOf: fingerprint,
  };
};
