import { invalidToken } from '../../model/errors.ts';
import { LIFETIME_SECONDS } from '../../model/lifetimes.ts';
import { PERSONAL_TOKEN_PATTERN } from '../../model/personal-token.ts';
import type { Clock } from '../../ports/system.ts';
import type { AccessTokens, PersonalTokenFormat, RefreshTokens } from '../../ports/tokens.ts';

/** Returns 64 hexadecimal digits for a text, in the format of SHA-256 but not secure: eight FNV-1a hashes of 32 bits. */
const fakeDigest = (text: string): string =>
  Array.from({ length: 8 }, (_, seed) => {
    let hash = 0x811c9dc5 ^ seed;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  }).join('');

/** Returns an issuer of insecure access tokens, which have three parts, like a JWT, and expire. */
export const makeFakeAccessTokens = (clock: Clock): AccessTokens => {
  const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'fake', use: 'sig', alg: 'EdDSA', x: 'fake' }] };
  const now = () => Date.parse(clock.now());
  return {
    issue: async (claims, notAfter) => {
      const expiresAt = Math.min(now() + LIFETIME_SECONDS.accessToken * 1000, Date.parse(notAfter));
      const payload = [claims.sub, claims.sid, expiresAt, fakeDigest(JSON.stringify(claims))].join('~');
      return {
        token: `fake.${payload}.${fakeDigest(payload)}`,
        expiresIn: Math.max(0, Math.ceil((expiresAt - now()) / 1000)),
      };
    },

    verify: async (token) => {
      const [kind, payload = '', signature, ...more] = token.split('.');
      if (kind !== 'fake' || signature !== fakeDigest(payload) || more.length > 0) throw invalidToken();
      const [sub = '', sid = '', expiresAt] = payload.split('~');
      if (Number(expiresAt) <= now()) throw invalidToken();
      return { sub, sid };
    },

    keys: () => keys,
  };
};

const FAKE_FAMILY_LENGTH = 24;

const digestsOf: RefreshTokens['digestsOf'] = (token) => ({
  digest: fakeDigest(token),
  family: fakeDigest(token.slice(0, FAKE_FAMILY_LENGTH)),
});

/** Returns predictable refresh tokens of 67 characters: 24 of the family, then 256 bits in base64url. */
export const makeFakeRefreshTokens = (): RefreshTokens => {
  let count = 0;
  return {
    issue: (previous) => {
      count += 1;
      const own = String(count);
      const family = previous?.slice(0, FAKE_FAMILY_LENGTH) ?? `family-${own.padStart(FAKE_FAMILY_LENGTH - 7, '0')}`;
      const token = `${family}refresh-token-${own.padStart(29, '0')}`;
      return { token, digest: fakeDigest(token) };
    },
    digestsOf,
  };
};

const FORM = new RegExp(`^${PERSONAL_TOKEN_PATTERN}$`);
const withChecksum = (text: string): string => text + fakeDigest(text).slice(0, 8);

/** Returns a generator of predictable personal access tokens. */
export const makeFakePersonalTokenFormat = (): PersonalTokenFormat => {
  let count = 0;
  return {
    issue: () => {
      count += 1;
      const token = withChecksum(`chapter_pat_${count.toString(16).padStart(64, '0')}`);
      return { token, digest: fakeDigest(token) };
    },
    digestOf: (token) => (FORM.test(token) && withChecksum(token.slice(0, -8)) === token ? fakeDigest(token) : null),
  };
};
