import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

/** Settings of tokens that floor and service share. */
const TOKENS = { issuer: 'chapter-membership-service', audience: 'chapter-membership-service', kid: 'bench' };

/** Seconds for which the tokens of a run are good: longer than any run. */
export const TOKEN_LIFETIME = 24 * 60 * 60;

/** A key to sign with, and the private JWK set that the service reads it from (RFC 7517). */
export const makeKey = (): { readonly privateKey: KeyObject; readonly text: string } => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { ...privateKey.export({ format: 'jwk' }), kid: TOKENS.kid, alg: 'EdDSA', use: 'sig' };
  return { privateKey, text: JSON.stringify({ keys: [key] }) };
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const HEADER = encode({ alg: 'EdDSA', kid: TOKENS.kid, typ: 'at+jwt' });

/** An access token with these claims, as the service would issue it. RFC 7515, section 3.1; RFC 9068. */
export const signToken = (key: KeyObject, claims: Readonly<Record<string, unknown>>, lifetime: number): string => {
  const iat = Math.floor(Date.now() / 1000);
  const { issuer: iss, audience: aud } = TOKENS;
  const signed = `${HEADER}.${encode({ ...claims, iss, aud, jti: randomUUID(), iat, exp: iat + lifetime })}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
};
