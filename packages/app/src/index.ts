/**
 * Adapters for the ports of `@chapter/domain` that need neither HTTP nor PostgreSQL, for applications that assemble the
 * use cases themselves. The README shows how. The program of this package is its command line, `chapter`.
 */
export { OperatorError } from './errors/operator-error.ts';
export { commonPasswords } from './passwords/common-passwords.ts';
export { DEFAULT_SCRYPT, type ScryptParameters } from './passwords/scrypt-hash.ts';
export { makeScryptPasswords } from './passwords/scrypt-passwords.ts';
export { systemClock, uuidIds } from './system/clock-and-ids.ts';
export { type LookedUpAddress, makePublicAddress } from './system/public-ip-address.ts';
export { type KeyFile, makeAccessTokens, openKeyFile, type TokenSettings } from './tokens/jose-access-tokens.ts';
export { ensureKeyFile, type RotatedKeys, rotateKeyFile } from './tokens/key-file.ts';
export type { Algorithm, SigningKey, SigningKeys } from './tokens/key-set.ts';
export { randomPersonalTokens, randomRefreshTokens } from './tokens/random-tokens.ts';
