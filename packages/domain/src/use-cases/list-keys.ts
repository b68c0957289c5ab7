import type { AccessTokens } from '../ports/access-tokens.ts';

/** Returns the public keys that verify access tokens, as a JWK set (RFC 7517), for other services. */
export const makeListKeys =
  ({ accessTokens }: { accessTokens: AccessTokens }) =>
  (): ReturnType<AccessTokens['keys']> =>
    accessTokens.keys();
