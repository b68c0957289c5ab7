/** Generates the tokens of sessions and password links, which are opaque random text. */
export interface RefreshTokens {
  /** Returns a new token with at least 256 random bits, and its digest. */
  issue(): { readonly token: string; readonly digest: string };

  /** Returns the digest under which a token is stored. */
  digestOf(token: string): string;
}
