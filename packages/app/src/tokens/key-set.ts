import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** How tokens are signed: Ed25519 (RFC 8037) or ECDSA on P-256 (RFC 7518, section 3.4), by the names of RFC 7518. */
export type Algorithm = 'EdDSA' | 'ES256';

/** One key for signing and checking. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: Algorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public part as others see it (RFC 7517). */
  readonly publicJwk: Readonly<Record<string, unknown>>;
}

/** The keys of a file: the first one signs, all of them check. Never empty. */
export type KeySet = readonly [SigningKey, ...SigningKey[]];

/** A key as it is kept: RFC 7517, with when it was replaced as the one that signs, in seconds since 1970. */
export type KeptJwk = Readonly<Record<string, unknown>> & { readonly retired_at?: number };

/** Why text is no set of keys to sign with, as a part of a sentence. */
export class KeySetError extends Error {}

const fail = (what: string): never => {
  throw new KeySetError(what);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const algorithmOf = ({ crv, kty }: KeptJwk): Algorithm | undefined =>
  kty === 'OKP' && crv === 'Ed25519' ? 'EdDSA' : kty === 'EC' && crv === 'P-256' ? 'ES256' : undefined;

/** What makes a public key of one of the two kinds. */
interface PublicParts {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
}

/** The name of a key that nobody named: its thumbprint (RFC 7638). */
export const thumbprint = ({ crv, kty, x, y }: PublicParts): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv, kty, x, ...(kty === 'EC' ? { y } : {}) }))
    .digest('base64url');

const signingKey = (jwk: unknown, at: number): SigningKey => {
  const name = `key ${at + 1}`;
  if (!isObject(jwk)) return fail(`${name} is no JSON object`);
  const alg = algorithmOf(jwk) ?? fail(`${name} is neither an Ed25519 nor a P-256 key`);
  if (typeof jwk['d'] !== 'string') fail(`${name} has no private part (d)`);
  if (jwk['alg'] !== undefined && jwk['alg'] !== alg)
    fail(`${name} is for ${alg}, and says that it is for another alg`);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  } catch {
    return fail(`${name} is broken, or its public part belongs to another`);
  }
  const publicKey = createPublicKey(privateKey);
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  const kid = jwk['kid'] ?? thumbprint({ crv, kty, x, y });
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(kid))
    return fail(`${name} has a kid that is no short text`);
  const publicJwk = { kty, crv, x, ...(y === undefined ? {} : { y }), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, publicKey, publicJwk };
};

/** The keys as they are kept in a private JWK set (RFC 7517, section 5). @throws KeySetError */
export const keptKeys = (text: string): readonly KeptJwk[] => {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return fail('it is not JSON');
  }
  if (!isObject(set) || !Array.isArray(set['keys'])) return fail('it is no JWK set ({ "keys": [ … ] })');
  return set['keys'] as KeptJwk[];
};

/** The keys of a private JWK set, ready for use. @throws KeySetError */
export const parseKeySet = (text: string): KeySet => {
  const [first, ...others] = keptKeys(text).map(signingKey);
  if (!first) return fail('it has no key');
  const kids = [first, ...others].map(({ kid }) => kid);
  const twice = kids.find((kid, at) => kids.indexOf(kid) < at);
  return twice === undefined ? [first, ...others] : fail(`two keys have the kid ${twice}`);
};
