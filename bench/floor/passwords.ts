import { availableParallelism } from 'node:os';
import * as namespace from 'scrypt-kdf';
import { makeGate } from '../../packages/app/src/passwords/gate.ts';
import { hashesAtOnce } from '../../packages/app/src/passwords/scrypt-passwords.ts';

// The module's types declare named exports; what it has is a default one with those members.
const scrypt = (namespace as unknown as { readonly default: typeof namespace }).default;

/** Parameters of scrypt. RFC 7914, section 2; `logN` is the logarithm of N to the base 2. */
export interface ScryptParameters {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/**
 * As many hashes at once as the service makes. Without it the threads of Node's pool would begin all that are asked for
 * before they end one, and a load would stop with dozens that are nearly done and count for nothing.
 */
const inTurn = makeGate({
  atOnce: hashesAtOnce(Number(process.env['UV_THREADPOOL_SIZE'] ?? 4), availableParallelism()),
  waiting: Number.POSITIVE_INFINITY,
  maxQueueMs: 60_000,
});

/** The scrypt-kdf hash of a password in base64, as the service stores it. */
export const hashPassword = (password: string, parameters: ScryptParameters): Promise<string> =>
  inTurn(async () => Buffer.from(await scrypt.kdf(password, parameters)).toString('base64'));

/** Whether a hash is that of a password. */
export const isPassword = (password: string, hash: string): Promise<boolean> =>
  inTurn(() => scrypt.verify(Buffer.from(hash, 'base64'), password));
