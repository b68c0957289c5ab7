/** Knows under which address the world reaches the server. */
export interface PublicAddress {
  /** The address in text, or null while it is unknown. Answers at once and never throws. */
  current(): string | null;
}
