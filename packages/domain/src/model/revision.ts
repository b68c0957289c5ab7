/**
 * An opaque mark of one state of a stored value: visible ASCII without quotes, different after every change. Two equal
 * marks of the same value mean that nothing happened in between. HTTP shows it as a strong ETag (RFC 9110, section 8.8.3).
 */
export type Revision = string;
