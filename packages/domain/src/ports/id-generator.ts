/** Generates ids. */
export interface IdGenerator {
  /** Returns a new UUID of version 7 in lower case (RFC 9562), greater than all earlier ones of the same generator. */
  next(): string;
}
