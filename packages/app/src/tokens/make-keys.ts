import { generateKeyPairSync } from 'node:crypto';
import { type Algorithm, type KeptJwk, thumbprint } from './key-set.ts';

/**
 * Seconds for which a key that no longer signs still checks: no token lives longer, whatever `ACCESS_TOKEN_TTL` is.
 * Contract §9.
 */
const RETIREMENT_SECONDS = 86_400;

/** A new key to sign with, as it is kept. */
export const generateKey = (alg: Algorithm): KeptJwk => {
  const { privateKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  return { ...jwk, kid: thumbprint(jwk), alg, use: 'sig' };
};

/** A private JWK set as text (RFC 7517, section 5). */
export const keySetText = (keys: readonly KeptJwk[]): string => `${JSON.stringify({ keys }, null, 2)}\n`;

/**
 * The keys after a rotation at `now` (in seconds since 1970): the new one signs, the old ones go on checking what they
 * signed, and those go that no living token is signed with.
 */
export const rotated = (keys: readonly KeptJwk[], fresh: KeptJwk, now: number): readonly KeptJwk[] => [
  fresh,
  ...keys
    .map((key) => ({ retired_at: now, ...key }))
    .filter(({ retired_at }) => typeof retired_at !== 'number' || now - retired_at <= RETIREMENT_SECONDS),
];
