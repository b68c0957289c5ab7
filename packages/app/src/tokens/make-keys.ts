import { generateKeyPairSync } from 'node:crypto';
import { type Algorithm, type StoredJwk, thumbprint } from './key-set.ts';

/**
 * Seconds for which a retired key still verifies tokens. This is the longest lifetime that `ACCESS_TOKEN_TTL` allows.
 * Contract §9.
 */
const RETIREMENT_SECONDS = 86_400;

/** Generates a signing key in the format of the key file. */
export const generateKey = (alg: Algorithm): StoredJwk => {
  const { privateKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  return { ...jwk, kid: thumbprint(jwk), alg, use: 'sig' };
};

/** Returns the text of a private JWK set (RFC 7517, section 5). */
export const keySetText = (keys: readonly StoredJwk[]): string => `${JSON.stringify({ keys }, null, 2)}\n`;

/**
 * Returns the keys after a rotation at `now` (in seconds since 1970). The new key signs, and the older keys still verify.
 * Keys are removed when all tokens that they have signed are expired.
 */
export const rotated = (keys: readonly StoredJwk[], fresh: StoredJwk, now: number): readonly StoredJwk[] => [
  fresh,
  ...keys
    .map((key) => ({ retired_at: now, ...key }))
    .filter(({ retired_at }) => typeof retired_at !== 'number' || now - retired_at <= RETIREMENT_SECONDS),
];
