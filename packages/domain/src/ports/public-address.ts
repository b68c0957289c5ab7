/** The public address of the server. */
export interface PublicAddress {
  /** Returns the address as text, or null while it is unknown. Never waits and never throws. */
  current(): string | null;
}
