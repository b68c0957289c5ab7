/** The passwords that everybody tries first. */
export interface CommonPasswords {
  /** Whether the text, in lower case, is one of the 10,000 most common. */
  has(lowerCase: string): boolean;
}
