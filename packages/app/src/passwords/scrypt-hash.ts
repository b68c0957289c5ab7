import { createHash } from 'node:crypto';
import type { PasswordHash } from '@chapter/domain';

/** Parameters of scrypt. RFC 7914, section 2; `logN` is the logarithm of N to the base 2. */
export interface ScryptParameters {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** The parameters of new hashes unless the settings give others. Contract §4. */
export const DEFAULT_SCRYPT: ScryptParameters = { logN: 14, r: 8, p: 5 };

/** Bytes that computing a hash takes. */
export const memoryOf = ({ logN, r }: ScryptParameters): number => 128 * 2 ** logN * r;

/** How much there is to compute, in blocks of 128 bytes. */
export const workOf = ({ logN, r, p }: ScryptParameters): number => 2 ** logN * r * p;

/** How much there is to compute beyond a hash with the first parameters until it is as much as one with the second: a `p`. */
export const workLeft = (done: ScryptParameters, whole: ScryptParameters): number =>
  Math.max(0, Math.round((workOf(whole) - workOf(done)) / workOf({ ...whole, p: 1 })));

/** The most that a stored hash may ask for; what asks for more was not made to be checked. */
const MAX_STORED_COST = { memory: 256 * 2 ** 20, work: 2 ** 24 };

/**
 * The parameters of a hash in the format of the scrypt file header (RFC 7914 has none; scrypt-kdf's 96 bytes: "scrypt",
 * version 0, logN, r, p, 32 bytes of salt, 16 of checksum, 32 of HMAC) in base64. Undefined for other text, and for
 * parameters that would take too much memory or time.
 */
export const parametersOf = (hash: PasswordHash): ScryptParameters | undefined => {
  if (!/^[A-Za-z0-9+/]{128}$/.test(hash)) return undefined;
  const bytes = Buffer.from(hash, 'base64');
  const checksum = createHash('sha256').update(bytes.subarray(0, 48)).digest().subarray(0, 16);
  if (bytes.toString('latin1', 0, 7) !== 'scrypt\0' || !checksum.equals(bytes.subarray(48, 64))) return undefined;
  const found = { logN: bytes.readUInt8(7), r: bytes.readUInt32BE(8), p: bytes.readUInt32BE(12) };
  const sane = found.logN >= 1 && found.r >= 1 && found.p >= 1;
  return sane && memoryOf(found) <= MAX_STORED_COST.memory && workOf(found) <= MAX_STORED_COST.work ? found : undefined;
};
