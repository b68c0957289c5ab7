/** Gives identifiers. */
export interface IdGenerator {
  /** A new UUID of version 7 in lower case (RFC 9562): later ones sort behind earlier ones of the same generator. */
  next(): string;
}
