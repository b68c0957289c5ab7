import * as namespace from 'scrypt-kdf';

// The module's types declare named exports; what it has is a default one with those members.
const scrypt = (namespace as unknown as { readonly default: typeof namespace }).default;

/** Parameters of scrypt. RFC 7914, section 2; `logN` is the logarithm of N to the base 2. */
export interface ScryptParameters {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** As many as the service makes. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Does work once one of two places is free. Without it the threads of Node's pool would begin all hashes that are asked for
 * before they end one, and a load would stop with dozens that are nearly done and count for nothing.
 */
export const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (running < AT_ONCE) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    // Whoever is next takes the place over.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
};

/** The scrypt-kdf hash of a password in base64, as the service stores it. */
export const hashPassword = (password: string, parameters: ScryptParameters): Promise<string> =>
  inTurn(async () => Buffer.from(await scrypt.kdf(password, parameters)).toString('base64'));

/** Whether a hash is that of a password. */
export const isPassword = (password: string, hash: string): Promise<boolean> =>
  inTurn(() => scrypt.verify(Buffer.from(hash, 'base64'), password));
