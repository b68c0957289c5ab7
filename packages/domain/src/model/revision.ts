/**
 * An opaque version of a stored value: visible ASCII without quotes, different after every change. Two equal revisions
 * of the same value mean that it did not change in between. HTTP shows it as a strong ETag (RFC 9110, section 8.8.3).
 */
export type Revision = string;

/** A change that is made only to the state that the caller knows. */
export interface Conditional {
  /** The target must have one of these revisions; absent to accept any. */
  readonly revisions?: readonly Revision[] | undefined;
}
