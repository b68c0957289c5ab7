import { invalidCredentials } from '../errors.ts';
import { normalizePassword } from '../password.ts';
import type { CredentialStore, Credentials } from '../ports/credential-store.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import { type Session, type SessionPorts, startSession } from '../session.ts';
import { foldCase, normalizeText } from '../text.ts';

/** What somebody logs in with, and from which network. */
export interface LogIn {
  readonly username: string;
  readonly password: string;
  readonly network: string;
}

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
    const attempt = await limits.begin(login, network);
    const found = await credentials.findByUsername(login);
    const secret = normalizePassword(password);
    const matches = await hasher.verify(secret, found?.passwordHash ?? null);
    if (!matches || !found?.passwordHash || !found.user.isActive) throw invalidCredentials();
    const hash = await renewWeakHash(ports, found, found.passwordHash, secret);
    const session = await startSession(ports, found.user, hash);
    if (!session) throw invalidCredentials();
    await attempt.succeeded();
    return session;
  };

const renewWeakHash = async (
  { credentials, hasher }: { credentials: CredentialStore; hasher: PasswordHasher },
  { user }: Credentials,
  hash: string,
  password: string,
): Promise<string> => {
  if (!hasher.isWeak(hash)) return hash;
  const stronger = await hasher.hash(password);
  await credentials.renew(user.id, hash, stronger);
  return stronger;
};

/** See {@link makeLogIn}. */
export type LogInUseCase = ReturnType<typeof makeLogIn>;
