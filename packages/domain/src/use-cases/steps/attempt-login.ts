import { givenPassword } from '../../fields/password.ts';
import { userRules } from '../../fields/user-fields.ts';
import { invalidCredentials } from '../../model/errors.ts';
import { lookUpForm } from '../../model/text.ts';
import type { UserId } from '../../model/user.ts';
import type { CredentialStore } from '../../ports/credential-store.ts';
import type { LoginLimits } from '../../ports/login-limits.ts';
import type { PasswordHasher } from '../../ports/password-hasher.ts';
import { renewWeakHash } from './renew-weak-hash.ts';
import { type Session, type SessionPorts, startSession } from './session.ts';
import { verifyAttempt } from './verify-attempt.ts';

/** The credentials of a login, and the request that brings them. */
export interface LogIn {
  readonly username: string;
  readonly password: string;
  readonly network: string;
  /** The `User-Agent` header of the request, which the session keeps. */
  readonly userAgent?: string | null;
  /** The id under which the request is logged. */
  readonly requestId?: string | null;
  /** Whether the client has disconnected. */
  readonly isAbandoned?: (() => boolean) | undefined;
}

/** What an attempt to log in needs. */
export interface AttemptPorts extends SessionPorts {
  readonly credentials: CredentialStore;
  readonly hasher: PasswordHasher;
  readonly loginLimits: LoginLimits;
}

/** How often a password is checked again because its hash was replaced while it was checked. */
const TRIES = 3;

/**
 * Attempts a login, and tells `identify` whose name was given. Unknown username, wrong password and inactive user cost the
 * same one hash and end the same way.
 *
 * @throws DomainError `invalid_credentials`, `rate_limited`, `unavailable`.
 */
export const attemptLogin = async (
  ports: AttemptPorts,
  { username, password, network, userAgent, isAbandoned }: LogIn,
  identify: (userId: UserId) => void,
): Promise<Session> => {
  const { credentials, hasher, loginLimits } = ports;
  // Usernames that are too long are counted together, under the empty name, which no user has.
  const login = lookUpForm(username, userRules.username.max);
  const secret = givenPassword(password);
  // An attempt for which there is no room is no guess: it must neither count nor cost anything.
  hasher.requireRoom();
  // Before the limit, so that the log of a limited login names the user too.
  let found = await credentials.findByUsername(login);
  if (found) identify(found.user.id);
  const attempt = await loginLimits.begin({ username: login }, network);
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) found = await credentials.findByUsername(login);
    const request = { isAbandoned, isContinuation: tries > 0 };
    // A password that matches no hash costs one hash like any other.
    const hash = found?.passwordHash ?? null;
    const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, request);
    if (secret === undefined || !matches || !found?.passwordHash || !found.user.isActive) break;
    const session = await startSession(ports, { user: found.user, userAgent }, found.passwordHash);
    if (!session) continue;
    await attempt.succeeded();
    const renewal = { isAbandoned, isContinuation: true };
    await renewWeakHash(ports, found.user.id, found.passwordHash, secret, renewal);
    return session;
  }
  throw invalidCredentials();
};
