import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  type webcrypto,
} from 'node:crypto';

/** The JWA name of a signature algorithm: Ed25519 (RFC 8037) or ECDSA on P-256 (RFC 7518, section 3.4). */
export type Algorithm = 'EdDSA' | 'ES256';

/** One key for signing and verifying. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: Algorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public part that the API publishes (RFC 7517). */
  readonly publicJwk: Readonly<Record<string, unknown>>;
}

/** The keys of a file. The first one signs, all of them verify. Never empty. */
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

/** A key in the file (RFC 7517). `retired_at` is the time at which it stopped signing, in seconds since 1970. */
export type StoredJwk = Readonly<Record<string, unknown>> & { readonly retired_at?: number };

/** Thrown if a text is not a valid set of signing keys. The message is a part of a sentence. */
export class KeySetError extends Error {}

const fail = (what: string): never => {
  throw new KeySetError(what);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const algorithmOf = ({ crv, kty }: StoredJwk): Algorithm | undefined =>
  kty === 'OKP' && crv === 'Ed25519' ? 'EdDSA' : kty === 'EC' && crv === 'P-256' ? 'ES256' : undefined;

/** Returns the thumbprint of a key (RFC 7638), which is the default `kid`. */
const thumbprint = ({ crv, kty, x, y }: webcrypto.JsonWebKey): string =>
  hash('sha256', JSON.stringify({ crv, kty, x, ...(kty === 'EC' ? { y } : {}) }), 'base64url');

const signingKey = (jwk: unknown, at: number): SigningKey => {
  const name = `key ${at + 1}`;
  if (!isObject(jwk)) return fail(`${name} is not a JSON object`);
  const alg = algorithmOf(jwk) ?? fail(`${name} is neither an Ed25519 nor a P-256 key`);
  if (typeof jwk['d'] !== 'string') fail(`${name} has no private part (d)`);
  if (jwk['alg'] !== undefined && jwk['alg'] !== alg)
    fail(`${name} is for ${alg}, but its alg names another algorithm`);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  } catch {
    return fail(`${name} is invalid, or its public and private parts do not match`);
  }
  const publicKey = createPublicKey(privateKey);
  const exported = publicKey.export({ format: 'jwk' });
  const { crv, kty, x, y } = exported;
  const kid = jwk['kid'] ?? thumbprint(exported);
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(kid))
    return fail(`${name} has a kid that is not 1 to 128 visible ASCII characters`);
  const publicJwk = { kty, crv, x, ...(y === undefined ? {} : { y }), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, publicKey, publicJwk };
};

/** Returns the keys in the text of a private JWK set (RFC 7517, section 5), unchanged. @throws KeySetError */
export const storedKeys = (text: string): readonly StoredJwk[] => {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return fail('it is not JSON');
  }
  if (!isObject(set) || !Array.isArray(set['keys'])) return fail('it is not a JWK set ({ "keys": [ … ] })');
  return set['keys'] as StoredJwk[];
};

/** Parses and checks the keys of a private JWK set. @throws KeySetError */
export const parseKeySet = (text: string): SigningKeys => {
  const [first, ...others] = storedKeys(text).map(signingKey);
  if (!first) return fail('it contains no key');
  const kids = [first, ...others].map(({ kid }) => kid);
  const duplicate = kids.find((kid, at) => kids.indexOf(kid) < at);
  return duplicate === undefined ? [first, ...others] : fail(`two keys have the kid ${duplicate}`);
};

/** Generates a signing key in the format of the key file. */
export const generateKey = (alg: Algorithm): StoredJwk => {
  const { privateKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  return { ...jwk, kid: thumbprint(jwk), alg, use: 'sig' };
};

/** Returns the text of a private JWK set (RFC 7517, section 5). */
export const keySetText = (keys: readonly StoredJwk[]): string => `${JSON.stringify({ keys }, null, 2)}\n`;
