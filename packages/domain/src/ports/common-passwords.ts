/** The most common passwords. */
export interface CommonPasswords {
  /** Whether a text in lower case is one of the 10,000 most common passwords. */
  has(lowerCase: string): boolean;
}
