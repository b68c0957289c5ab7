import * as namespace from 'scrypt-kdf';

// The module's types declare named exports; what it has is a default one with those members.
const scrypt = (namespace as unknown as { readonly default: typeof namespace }).default;

/** Parameters of scrypt. RFC 7914, section 2; `logN` is the logarithm of N to the base 2. */
export interface ScryptParameters {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** The scrypt-kdf hash of a password in base64, as the service stores it. */
export const hashPassword = async (password: string, parameters: ScryptParameters): Promise<string> =>
  Buffer.from(await scrypt.kdf(password, parameters)).toString('base64');

/** Whether a hash is that of a password. */
export const isPassword = (password: string, hash: string): Promise<boolean> =>
  scrypt.verify(Buffer.from(hash, 'base64'), password);
