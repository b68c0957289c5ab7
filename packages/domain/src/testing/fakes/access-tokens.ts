import { invalidToken } from '../../model/errors.ts';
import { LIFETIME_SECONDS } from '../../model/lifetimes.ts';
import type { Clock } from '../../ports/system.ts';
import type { AccessClaims, AccessTokens } from '../../ports/tokens.ts';
import { fakeDigest } from './fake-digest.ts';

interface Contents {
  readonly claims: AccessClaims;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const DIGITS = 4;

const encode = (text: string): string =>
  text
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).padStart(DIGITS, '0'))
    .join('');

const decode = (hex: string): string =>
  (hex.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('');

/** Returns an issuer of insecure access tokens, which have three parts, like a JWT, and expire; `lifetime` is in seconds. */
export const makeFakeAccessTokens = (clock: Clock, lifetime: number = LIFETIME_SECONDS.accessToken): AccessTokens => {
  const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'fake', use: 'sig', alg: 'EdDSA', x: 'fake' }] };
  const now = () => Date.parse(clock.now());
  return {
    issue: async (claims, notAfter) => {
      const expiresAt = Math.min(now() + lifetime * 1000, Date.parse(notAfter));
      const contents: Contents = { claims, expiresAt };
      const payload = encode(JSON.stringify(contents));
      return {
        token: `fake.${payload}.${fakeDigest(payload)}`,
        expiresIn: Math.max(0, Math.ceil((expiresAt - now()) / 1000)),
      };
    },

    verify: async (token) => {
      const [kind, payload = '', signature, ...more] = token.split('.');
      if (kind !== 'fake' || signature !== fakeDigest(payload) || more.length > 0) throw invalidToken();
      const { claims, expiresAt } = JSON.parse(decode(payload)) as Contents;
      if (expiresAt <= now()) throw invalidToken();
      return { sub: claims.sub, sid: claims.sid };
    },

    keys: () => keys,
  };
};
