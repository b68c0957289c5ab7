import { invalidCredentials } from '../errors.ts';
import { normalizePassword } from '../password.ts';
import type { CredentialStore } from '../ports/credential-store.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import { renewWeakHash } from '../renew-weak-hash.ts';
import { type Session, type SessionPorts, startSession } from '../session.ts';
import { foldCase, normalizeText } from '../text.ts';
import { verifyAttempt } from '../verify-attempt.ts';

/** The credentials of a login, and the request that brings them. */
export interface LogIn {
  readonly username: string;
  readonly password: string;
  readonly network: string;
  /** Whether the client has disconnected. */
  readonly isAbandoned?: (() => boolean) | undefined;
}

/** How often a password is checked again because its hash was replaced while it was checked. */
const TRIES = 3;

/**
 * Logs a user in. Unknown username, wrong password and inactive user cost the same one hash and end the same way.
 *
 * @throws DomainError `invalid_credentials`, `rate_limited`, `unavailable`.
 */
export const makeLogIn =
  (ports: SessionPorts & { credentials: CredentialStore; hasher: PasswordHasher; limits: LoginLimits }) =>
  async ({ username, password, network, isAbandoned }: LogIn): Promise<Session> => {
    const { credentials, hasher, limits } = ports;
    const login = foldCase(normalizeText(username));
    const secret = normalizePassword(password);
    // An attempt for which there is no room is no guess: it must neither count nor cost anything.
    hasher.requireRoom();
    const attempt = await limits.begin({ username: login }, network);
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await credentials.findByUsername(login);
      const request = { isAbandoned, isContinuation: tries > 0 };
      const matches = await verifyAttempt({ hasher, attempt }, secret, found?.passwordHash ?? null, request);
      if (!matches || !found?.passwordHash || !found.user.isActive) break;
      const session = await startSession(ports, found.user, found.passwordHash);
      if (!session) continue;
      await attempt.succeeded();
      const renewal = { isAbandoned, isContinuation: true };
      await renewWeakHash(ports, found.user.id, found.passwordHash, secret, renewal);
      return session;
    }
    throw invalidCredentials();
  };

/** See {@link makeLogIn}. */
export type LogInUseCase = ReturnType<typeof makeLogIn>;
