import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

const ISSUER = 'chapter-membership-service';
const KEY_ID = 'bench';

/** Seconds for which the tokens of a run are valid: longer than any run. */
export const TOKEN_LIFETIME = 24 * 60 * 60;

/** Makes a key to sign with, and the private JWK set that the service reads it from (RFC 7517). */
export const makeKey = (): { readonly privateKey: KeyObject; readonly text: string } => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'EdDSA', use: 'sig' };
  return { privateKey, text: JSON.stringify({ keys: [key] }) };
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs an access token with these claims, as the service issues it. RFC 7515, section 3.1; RFC 9068. */
export const signToken = (key: KeyObject, claims: Readonly<Record<string, unknown>>): string => {
  const iat = Math.floor(Date.now() / 1000);
  const registered = { iss: ISSUER, aud: ISSUER, jti: randomUUID(), iat, exp: iat + TOKEN_LIFETIME };
  const signed = `${encode({ alg: 'EdDSA', kid: KEY_ID, typ: 'at+jwt' })}.${encode({ ...claims, ...registered })}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
};
