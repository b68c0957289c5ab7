import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { PasswordHash } from '@chapter/domain';

/** Parameters of scrypt. RFC 7914, section 2; `logN` is the logarithm of N to the base 2. */
export interface ScryptParameters {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** The default parameters of new hashes. Contract §4. */
export const DEFAULT_SCRYPT: ScryptParameters = { logN: 14, r: 8, p: 5 };

/** Returns the number of threads in Node's pool, which computes the hashes. Like Node, reads other text as 1. */
export const poolThreads = (size = process.env['UV_THREADPOOL_SIZE'] ?? '4'): number => Number.parseInt(size, 10) || 1;

/**
 * Returns how many hashes may run at once, and how many do by default. Two threads of Node's pool stay free for tokens,
 * files and names. By default one processor stays free, so that a flood of logins does not slow other requests down.
 */
export const hashProcessors = (threads = poolThreads(), all = availableParallelism()) => {
  const max = Math.max(1, threads - 2);
  return { max, byDefault: Math.max(1, Math.min(2, max, all - 1)) };
};

/** Returns the memory in bytes that computing a hash needs. */
export const memoryOf = ({ logN, r }: ScryptParameters): number => 128 * 2 ** logN * r;

/** Returns the amount of computation, in blocks of 128 bytes. */
export const workOf = ({ logN, r, p }: ScryptParameters): number => 2 ** logN * r * p;

/**
 * Returns the `p` of an additional hash. Together with a hash with the parameters `done`, it takes as much work as one
 * hash with the parameters `whole`. Returns 0 if no additional hash is needed.
 */
export const workLeft = (done: ScryptParameters, whole: ScryptParameters): number =>
  Math.max(0, Math.round((workOf(whole) - workOf(done)) / workOf({ ...whole, p: 1 })));

/** Limits for stored hashes. Verifying a hash above them would block the service. */
const MAX_STORED_COST = { memory: 256 * 2 ** 20, work: 2 ** 24 };

/**
 * Returns the parameters of a hash, or undefined if its format is invalid or it needs too much memory or time. The
 * format is that of scrypt-kdf in base64. Its 96 bytes are "scrypt", version 0, logN, r, p, 32 bytes of salt, 16 of
 * checksum and 32 of HMAC. RFC 7914 defines no format.
 */
export const scryptParametersOf = (hash: PasswordHash): ScryptParameters | undefined => {
  if (!/^[A-Za-z0-9+/]{128}$/.test(hash)) return undefined;
  const bytes = Buffer.from(hash, 'base64');
  const checksum = createHash('sha256').update(bytes.subarray(0, 48)).digest().subarray(0, 16);
  if (bytes.toString('latin1', 0, 7) !== 'scrypt\0' || !checksum.equals(bytes.subarray(48, 64))) return undefined;
  const found = { logN: bytes.readUInt8(7), r: bytes.readUInt32BE(8), p: bytes.readUInt32BE(12) };
  const sane = found.logN >= 1 && found.r >= 1 && found.p >= 1;
  return sane && memoryOf(found) <= MAX_STORED_COST.memory && workOf(found) <= MAX_STORED_COST.work ? found : undefined;
};
