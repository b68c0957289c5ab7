import { hash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type AccessClaims, type AccessTokens, type Clock, invalidToken, parseUuid } from '@chapter/domain';
import { type CompactJWSHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { keyFileFault } from './key-file.ts';
import { type KeySet, KeySetError, parseKeySet, type SigningKey } from './key-set.ts';

/** Milliseconds after which a file is looked at again. */
const RECHECK_INTERVAL_MS = 1000;

/** The signing keys of a file that may be replaced while it is in use. */
export interface KeyFile {
  /** The keys as they were at most a second ago; the same object until they change. */
  readonly current: () => KeySet;
  /** The keys as they are now: for a token with a key that is not known yet. */
  readonly latest: () => KeySet;
}

/**
 * Reads the private JWK set in a file (RFC 7517, section 5), and reads it again when the file changes. If the new content
 * has no valid keys, the previous keys stay in use and `report` is called once with the reason.
 *
 * @throws OperatorError if the file has no valid keys now.
 */
export const openKeyFile = (file: string, report: (sentence: string) => void = () => {}): KeyFile => {
  const fault = keyFileFault(file);
  if (fault) throw new OperatorError(`There are no signing keys in ${file}: ${fault}.`);
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
      const why = error instanceof KeySetError ? error.message : fileErrorReason(error);
      if (why !== reported) report(`The signing keys in ${file} stay what they were: ${why}.`);
      reported = why;
    }
  };
  const latest = (): KeySet => {
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
  /** Lifetime of a new token in seconds, at most 86,400. */
  readonly accessTtl: number;
}

/** What is known of a token that was checked: whose it is, and until when it is good, in seconds since 1970. */
interface Checked {
  readonly subject: Pick<AccessClaims, 'sub' | 'sid'>;
  readonly until: number;
}

/** RFC 9068, section 2.1. */
const TOKEN_TYPE = 'at+jwt';

/** Seconds by which clocks may differ. */
const CLOCK_SKEW_SECONDS = 5;

/** Seconds: the longest that a token can be meant to live, whatever setting issued it. */
const MAX_LIFETIME_SECONDS = 86_400;

/** Characters of the longest token that is looked at; the longest that is issued has about half of it. */
const MAX_TOKEN_LENGTH = 4096;

/** Verified tokens that are remembered. */
const CACHE_SIZE = 10_000;

const makeCache = () => new LRUCache<string, Checked>({ max: CACHE_SIZE });

const KNOWN_HEADERS = new Set(['alg', 'kid', 'typ']);

/**
 * Three parts in the one spelling that base64url has for each: the unused bits of a last character make several, and
 * with them several tokens of one (RFC 4648, section 3.5).
 */
const isCanonical = (token: string): boolean => {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts.every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part)
  );
};

const isUuid = (value: unknown): value is string => typeof value === 'string' && parseUuid(value) === value;

/** Until when, in seconds since 1970, a token with these times is good; undefined where they make no sense. */
const goodUntil = ({ exp, iat }: JWTPayload, maxAge: number): number | undefined => {
  if (!Number.isSafeInteger(exp) || !Number.isSafeInteger(iat) || exp === undefined || iat === undefined)
    return undefined;
  return exp > iat && exp - iat <= MAX_LIFETIME_SECONDS ? Math.min(exp, iat + maxAge) + CLOCK_SKEW_SECONDS : undefined;
};

/** Makes access tokens as JWTs by jose: the first key of the file signs, every key verifies. Contract §6. */
export const makeAccessTokens = (
  keyFile: KeyFile,
  { accessTtl, audience, issuer }: TokenSettings,
  clock: Clock,
): AccessTokens => {
  let remembered = makeCache();
  let known: KeySet | undefined;
  let published: { readonly keys: readonly SigningKey['publicJwk'][] } = { keys: [] };

  const present = (keys: KeySet): KeySet => {
    if (keys === known) return keys;
    known = keys;
    published = { keys: keys.map(({ publicJwk }) => publicJwk) };
    // A key that is gone takes its tokens with it, those under way as well: they go where nobody looks any more.
    remembered = makeCache();
    return keys;
  };

  const keyFor = ({ alg, kid, ...others }: CompactJWSHeaderParameters): SigningKey['publicKey'] => {
    const match = (keys: KeySet) => present(keys).find((key) => key.kid === kid && key.alg === alg);
    const key = match(keyFile.current()) ?? match(keyFile.latest());
    if (!key || Object.keys(others).some((name) => !KNOWN_HEADERS.has(name))) throw new Error('not a header of ours');
    return key.publicKey;
  };

  const check = async (token: string, now: Date): Promise<Checked> => {
    if (token.length > MAX_TOKEN_LENGTH || !isCanonical(token)) throw new Error('not a token in the one form it has');
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
    const until = goodUntil(payload, accessTtl);
    if (payload.aud !== audience || until === undefined || !isUuid(sub) || !isUuid(sid))
      throw new Error('not claims of ours');
    return { subject: { sub, sid }, until };
  };

  return {
    issue: async ({ sub, ...claims }, notAfter) => {
      const [{ alg, kid, privateKey }] = present(keyFile.current());
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
      // `notAfter` is an instant of the database's clock, of which this one may be ahead.
      return { token, expiresIn: Math.max(0, expiresAt - now) };
    },

    verify: async (token) => {
      present(keyFile.current());
      const now = new Date(clock.now());
      const key = hash('sha256', token, 'base64');
      const ofTheseKeys = remembered;
      const earlier = ofTheseKeys.get(key);
      if (earlier && Math.floor(now.getTime() / 1000) < earlier.until) return earlier.subject;
      try {
        const checked = await check(token, now);
        ofTheseKeys.set(key, checked);
        return checked.subject;
      } catch (cause) {
        throw invalidToken(cause);
      }
    },

    keys: () => {
      present(keyFile.current());
      return published;
    },
  };
};
