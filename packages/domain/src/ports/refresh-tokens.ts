/** The digests by which a refresh token is found: its own, and that of its family. */
export interface TokenDigests {
  /** The digest of the token itself. */
  readonly digest: string;
  /** The digest that all tokens of a session share. */
  readonly family: string;
}

/**
 * Generates the tokens of sessions and password links, which are opaque random text. The tokens of a session are one family:
 * they share a part that only they contain, so that a consumed token is recognized without being stored.
 */
export interface RefreshTokens {
  /** Returns a new token of the family of `previous`, or of a new family. At least 256 random bits are its own. */
  issue(previous?: string): { readonly token: string; readonly digest: string };

  /** Returns the digests of any text. */
  digestsOf(token: string): TokenDigests;
}
