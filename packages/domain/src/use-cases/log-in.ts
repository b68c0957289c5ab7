import { givenPassword } from '../fields/password.ts';
import { userRules } from '../fields/user-fields.ts';
import { type DomainErrorCode, invalidCredentials, isDomainError } from '../model/errors.ts';
import { storedUserAgent } from '../model/session.ts';
import { normalizeForLookup } from '../model/text.ts';
import type { Origin, PasswordHash, User, UserId } from '../model/user.ts';
import type { LoginOutcome } from '../ports/login-limits.ts';
import type { HashRequest } from '../ports/passwords.ts';
import { verifyAttempt } from './steps/passwords.ts';
import type { Ports } from './steps/ports.ts';
import { issuePair, type Session, type SessionPorts } from './steps/session.ts';

/** Credentials of a login, and data of the request. */
export interface LogIn extends Pick<Origin, 'isAbandoned' | 'pause'> {
  /** As the user typed it, in any case. */
  readonly username: string;
  /** The password in plain text. */
  readonly password: string;
  /** The network of the client, whose failed logins are counted together. */
  readonly network: string;
  /** The `User-Agent` header of the request, which the session stores. */
  readonly userAgent?: string | null;
  /** The id under which the request is logged. */
  readonly requestId?: string | null;
}

type LogInPorts = SessionPorts & Pick<Ports, 'credentials' | 'hasher' | 'loginLimits' | 'loginLog'>;

/** Maximum verifications of a password. It is verified again if its hash was replaced before the session started. */
const MAX_TRIES = 3;

/**
 * Starts a session for a user. Returns null if the user is no longer active, or if `checked` is no longer the user's
 * password hash.
 */
const startSession = async (
  ports: LogInPorts,
  { user, userAgent }: { readonly user: User; readonly userAgent: string | null | undefined },
  checked: PasswordHash,
): Promise<Session | null> => {
  const { sessions, refreshTokens, ids, refreshLifetime: lifetime, sessionLifetime } = ports;
  const { token, digest } = refreshTokens.issue();
  const sessionId = ids.next();
  const newSession = { id: sessionId, userId: user.id, digest, userAgent: storedUserAgent(userAgent) };
  const times = await sessions.start({ ...newSession, lifetime, sessionLifetime }, checked);
  return times && issuePair(ports, { user, sessionId, ...times }, token);
};

/**
 * Replaces the hash of a password that was just verified, if it is weaker than a new one. If the hasher refuses, the
 * next login finds the weak hash again.
 */
const renewWeakHash = async (
  { credentials, hasher }: LogInPorts,
  id: UserId,
  hash: PasswordHash,
  password: string,
  request: HashRequest,
): Promise<void> => {
  if (!hasher.isWeak(hash)) return;
  try {
    await credentials.renew(id, hash, await hasher.hash(password, request));
  } catch (error) {
    // The session has already started and continues.
    if (!isDomainError(error)) throw error;
  }
};

/**
 * Attempts a login, and calls `identify` with the id of the user if the username exists. An unknown username, a wrong
 * password and an inactive user cost the same single hash and end with the same error.
 *
 * @throws DomainError `invalid_credentials`, `rate_limited`, `unavailable`.
 */
const attemptLogin = async (
  ports: LogInPorts,
  { username, password, network, userAgent, isAbandoned, pause }: LogIn,
  identify: (userId: UserId) => void,
): Promise<Session> => {
  const { credentials, hasher, loginLimits } = ports;
  // All usernames that are too long count together, as the empty name, which no user has.
  const login = normalizeForLookup(username, userRules.username.max);
  const secret = givenPassword(password);
  // By the name that was sent, so that a refusal does not reveal whether it exists.
  const request = { isAbandoned, pause, share: ['logins', network, login] } as const;
  // An attempt that finds the queue full is not a guess, so it must neither count nor cost anything.
  hasher.requireCapacity(request.share);
  // Look up before the limit, so that the log of a limited login contains the user too.
  let found = await credentials.findByUsername(login);
  if (found) identify(found.user.id);
  const attempt = await loginLimits.begin({ username: login }, network);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) found = await credentials.findByUsername(login);
    // An unknown user, and a password that cannot match, must cost as much as any other attempt.
    const hash = found?.passwordHash ?? null;
    const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, {
      ...request,
      isContinuation: tries > 0,
    });
    if (secret === undefined || !matches || !found?.passwordHash || !found.user.isActive) break;
    const session = await startSession(ports, { user: found.user, userAgent }, found.passwordHash);
    if (!session) continue;
    await attempt.succeeded();
    const renewal = { ...request, isContinuation: true };
    await renewWeakHash(ports, found.user.id, found.passwordHash, secret, renewal);
    return session;
  }
  throw invalidCredentials();
};

const OUTCOMES: Partial<Record<DomainErrorCode, LoginOutcome>> = {
  invalid_credentials: 'refused',
  rate_limited: 'limited',
};

/**
 * Logs a user in. Writes every attempt to the login log with its outcome, and with the user if the username exists.
 *
 * @throws DomainError `invalid_credentials`, `rate_limited`, `unavailable`.
 */
export const makeLogIn =
  (ports: LogInPorts) =>
  async (sent: LogIn): Promise<Session> => {
    let userId: UserId | null = null;
    const log = (outcome: LoginOutcome): void =>
      ports.loginLog.write({ outcome, userId, requestId: sent.requestId ?? null });
    try {
      const session = await attemptLogin(ports, sent, (id) => {
        userId = id;
      });
      log('succeeded');
      return session;
    } catch (error) {
      log((isDomainError(error) && OUTCOMES[error.code]) || 'unavailable');
      throw error;
    }
  };
