import { invalidCredentials } from '../errors.ts';
import { normalizePassword } from '../password.ts';
import type { CredentialStore } from '../ports/credential-store.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import { renewWeakHash } from '../renew-weak-hash.ts';
import { type Session, type SessionPorts, startSession } from '../session.ts';
import { foldCase, normalizeText } from '../text.ts';

/** What somebody logs in with, and from which network. */
export interface LogIn {
  readonly username: string;
  readonly password: string;
  readonly network: string;
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
  async ({ username, password, network }: LogIn): Promise<Session> => {
    const { credentials, hasher, limits } = ports;
    const login = foldCase(normalizeText(username));
    const secret = normalizePassword(password);
    // An attempt for which there is no room is no guess: it must neither count nor cost anything.
    hasher.requireRoom();
    const attempt = await limits.begin({ username: login }, network);
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await credentials.findByUsername(login);
      const matches = await hasher.verify(secret, found?.passwordHash ?? null);
      if (!matches || !found?.passwordHash || !found.user.isActive) break;
      const session = await startSession(ports, found.user, found.passwordHash);
      if (!session) continue;
      await attempt.succeeded();
      await renewWeakHash(ports, found.user.id, found.passwordHash, secret);
      return session;
    }
    throw invalidCredentials();
  };

/** See {@link makeLogIn}. */
export type LogInUseCase = ReturnType<typeof makeLogIn>;
