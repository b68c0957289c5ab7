import type { AccessTokens } from '../ports/access-tokens.ts';

/** The public keys that access tokens are checked with, as a JWK set (RFC 7517), for other services. */
export const makeListKeys =
  ({ accessTokens }: { accessTokens: AccessTokens }) =>
  (): ReturnType<AccessTokens['keys']> =>
    accessTokens.keys();
