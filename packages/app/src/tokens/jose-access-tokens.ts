import { hash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type AccessClaims, type AccessTokens, type Clock, invalidToken, isUuid } from '@chapter/domain/ports';
import { type CompactJWSHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { OperatorError } from '../errors/operator-error.ts';
import { keyFileFault, MAX_ACCESS_TTL_SECONDS, reasonOf } from './key-file.ts';
import { parseKeySet, type SigningKey, type SigningKeys } from './key-set.ts';

const RECHECK_INTERVAL_MS = 1000;

/** The signing keys of a file that may be replaced while it is in use. */
export interface KeyFile {
  /** Returns the keys, which may be one second old. The object stays the same until they change. */
  readonly current: () => SigningKeys;
  /** Returns the keys after checking the file for changes. For tokens with an unknown key. */
  readonly latest: () => SigningKeys;
}

/**
 * Reads the private JWK set in a file (RFC 7517, section 5), and reads it again when the file changes. If the new
 * content has no valid keys, the previous keys stay in use and `report` is called once with the reason.
 *
 * @throws OperatorError if the file has no valid keys now.
 */
export const openKeyFile = (file: string, report: (sentence: string) => void = () => {}): KeyFile => {
  const fault = keyFileFault(file);
  if (fault) throw new OperatorError(`Cannot read signing keys from ${file}: ${fault}.`);
  const stamp = (): string => {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  };
  let seen = stamp();
  let keys = parseKeySet(readFileSync(file, 'utf8'));
  let checkedAt = performance.now();
  let reported = '';

  const reload = (): void => {
    try {
      const found = stamp();
      if (found === seen) return;
      keys = parseKeySet(readFileSync(file, 'utf8'));
      seen = found;
      reported = '';
    } catch (error) {
      const why = reasonOf(error);
      if (why !== reported)
        report(`Cannot reload the signing keys from ${file}: ${why}. The previous keys stay in use.`);
      reported = why;
    }
  };
  const latest = (): SigningKeys => {
    checkedAt = performance.now();
    reload();
    return keys;
  };
  return { latest, current: () => (performance.now() - checkedAt < RECHECK_INTERVAL_MS ? keys : latest()) };
};

/** The claims that all access tokens share, and their lifetime. */
export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Lifetime of a new token in seconds, at most {@link MAX_ACCESS_TTL_SECONDS}. */
  readonly accessTtl: number;
}

/** A verified token: its subject, and the time until which it is valid, in seconds since 1970. */
interface VerifiedToken {
  readonly subject: Pick<AccessClaims, 'sub' | 'sid'>;
  readonly until: number;
}

/** RFC 9068, section 2.1. */
const TOKEN_TYPE = 'at+jwt';

const CLOCK_SKEW_SECONDS = 5;

/** Longest accepted token in characters. The service issues tokens of at most about half this length. */
const MAX_TOKEN_LENGTH = 4096;

const CACHE_SIZE = 10_000;

const makeCache = () => new LRUCache<string, VerifiedToken>({ max: CACHE_SIZE });

const KNOWN_HEADERS = new Set(['alg', 'kid', 'typ']);

/**
 * Returns whether the token has three parts in canonical base64url. The last character of a part can have unused bits,
 * which would allow several spellings of the same token (RFC 4648, section 3.5).
 */
const isCanonical = (token: string): boolean => {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts.every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part)
  );
};

/** Returns the time until which a token is valid, in seconds since 1970, or undefined if its times are invalid. */
const validUntilOf = ({ exp, iat }: JWTPayload, maxAge: number): number | undefined => {
  if (!Number.isSafeInteger(exp) || !Number.isSafeInteger(iat) || exp === undefined || iat === undefined)
    return undefined;
  return exp > iat && exp - iat <= MAX_ACCESS_TTL_SECONDS
    ? Math.min(exp, iat + maxAge) + CLOCK_SKEW_SECONDS
    : undefined;
};

/** Makes the issuer and verifier of access tokens, which are JWTs. The first key signs, all verify. Contract §6. */
export const makeAccessTokens = (
  keyFile: KeyFile,
  { accessTtl, audience, issuer }: TokenSettings,
  clock: Clock,
): AccessTokens => {
  let cache = makeCache();
  let known: SigningKeys | undefined;
  let published: { readonly keys: readonly SigningKey['publicJwk'][] } = { keys: [] };

  const adopt = (keys: SigningKeys): SigningKeys => {
    if (keys === known) return keys;
    known = keys;
    published = { keys: keys.map(({ publicJwk }) => publicJwk) };
    // Tokens of a removed key must not stay in the cache. Verifications that still run write to the old one.
    cache = makeCache();
    return keys;
  };

  const keyFor = ({ alg, kid, ...others }: CompactJWSHeaderParameters): SigningKey['publicKey'] => {
    const match = (keys: SigningKeys) => adopt(keys).find((key) => key.kid === kid && key.alg === alg);
    const key = match(keyFile.current()) ?? match(keyFile.latest());
    if (!key || Object.keys(others).some((name) => !KNOWN_HEADERS.has(name)))
      throw new Error('unexpected token header');
    return key.publicKey;
  };

  const check = async (token: string, now: Date): Promise<VerifiedToken> => {
    if (token.length > MAX_TOKEN_LENGTH || !isCanonical(token)) throw new Error('token too long or not canonical');
    const { payload } = await jwtVerify(token, keyFor, {
      algorithms: ['EdDSA', 'ES256'],
      typ: TOKEN_TYPE,
      issuer,
      audience,
      clockTolerance: CLOCK_SKEW_SECONDS,
      maxTokenAge: accessTtl,
      currentDate: now,
      requiredClaims: ['sub', 'sid', 'jti', 'exp'],
    });
    const { sid, sub } = payload;
    const until = validUntilOf(payload, accessTtl);
    if (payload.aud !== audience || until === undefined || !isUuid(sub) || !isUuid(sid))
      throw new Error('unexpected token claims');
    return { subject: { sub, sid }, until };
  };

  return {
    issue: async ({ sub, ...claims }, notAfter) => {
      const [{ alg, kid, privateKey }] = adopt(keyFile.current());
      const now = Math.floor(Date.parse(clock.now()) / 1000);
      const expiresAt = Math.min(now + accessTtl, Math.ceil(Date.parse(notAfter) / 1000));
      const token = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg, kid, typ: TOKEN_TYPE })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(sub)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(expiresAt)
        .sign(privateKey);
      // `notAfter` comes from the database's clock. This process's clock may be ahead of it.
      return { token, expiresIn: Math.max(0, expiresAt - now) };
    },

    verify: async (token) => {
      adopt(keyFile.current());
      const now = Date.parse(clock.now());
      const key = hash('sha256', token, 'base64');
      const cacheOfTheseKeys = cache;
      const cached = cacheOfTheseKeys.get(key);
      if (cached && now < cached.until * 1000) return cached.subject;
      try {
        const checked = await check(token, new Date(now));
        cacheOfTheseKeys.set(key, checked);
        return checked.subject;
      } catch (cause) {
        throw invalidToken(cause);
      }
    },

    keys: () => {
      adopt(keyFile.current());
      return published;
    },
  };
};
