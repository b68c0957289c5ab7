import { createHmac, randomUUID, sign } from 'node:crypto';
import { generateKey, keySetText, parseKeySet, type SigningKey } from '../../src/tokens/key-set.ts';

export const settings = { issuer: 'chapter', audience: 'members', accessTtl: 900 };

export const subject = { sub: '0190a000-0000-7000-8000-000000000001', sid: '0190a000-0000-7000-8000-000000000002' };

export const claims = {
  ...subject,
  username: 'ada',
  division_id: '0190a000-0000-7000-8000-00000000000a',
  groups: ['Leader'],
  is_staff: false,
  is_superuser: true,
} as const;

export const newKey = (alg: 'EdDSA' | 'ES256' = 'EdDSA'): SigningKey => parseKeySet(keySetText([generateKey(alg)]))[0];

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Returns the claims of a valid token that is issued at `now` (in seconds since 1970). */
export const payloadAt = (now: number): Record<string, unknown> => ({
  ...claims,
  iss: settings.issuer,
  aud: settings.audience,
  jti: randomUUID(),
  iat: now,
  exp: now + settings.accessTtl,
});

/** Signs any header and payload. Undefined members are omitted. */
export const forge = (key: SigningKey, payload: unknown, header: Record<string, unknown> = {}): string => {
  const input = `${encode({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })}.${encode(payload)}`;
  const options = key.alg === 'ES256' ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
  const signature = sign(key.alg === 'ES256' ? 'sha256' : null, Buffer.from(input), {
    key: key.privateKey,
    ...options,
  });
  return `${input}.${signature.toString('base64url')}`;
};

/** The order n of the group of P-256. FIPS 186-5 and SP 800-186, section 3.2.1.3. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Returns the token with the second valid ES256 signature of the same key and text: (r, n − s) instead of (r, s). */
export const withOtherSignature = (token: string): string => {
  const dot = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(dot + 1), 'base64url');
  const s = BigInt(`0x${signature.toString('hex', 32)}`);
  const other = (P256_ORDER - s).toString(16).padStart(64, '0');
  return `${token.slice(0, dot)}.${Buffer.concat([signature.subarray(0, 32), Buffer.from(other, 'hex')]).toString('base64url')}`;
};

/** Signs with HMAC, using the public key as the secret. */
export const forgeHmac = (key: SigningKey, payload: unknown): string => {
  const input = `${encode({ alg: 'HS256', kid: key.kid, typ: 'at+jwt' })}.${encode(payload)}`;
  const secret = key.publicKey.export({ type: 'spki', format: 'pem' });
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};
