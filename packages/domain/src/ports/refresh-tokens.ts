/** Makes the tokens of sessions and password links, which are random and mean nothing by themselves. */
export interface RefreshTokens {
  /** A new token, at least 256 random bits, with its digest. */
  issue(): { readonly token: string; readonly digest: string };

  /** The digest under which a token is stored. */
  digestOf(token: string): string;
}
