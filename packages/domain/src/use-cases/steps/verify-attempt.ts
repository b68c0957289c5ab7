import type { PasswordHash } from '../../model/user.ts';
import type { LoginAttempt } from '../../ports/login-limits.ts';
import type { HashRequest, PasswordHasher } from '../../ports/password-hasher.ts';

/**
 * Verifies a password for an attempt that was counted when it began. If the hasher refuses, no guess was made: the attempt
 * is withdrawn, so that a flood from elsewhere cannot use up a user's attempts. The attempt of a client that disconnects
 * is not withdrawn; otherwise the client could fill the queue without a limit.
 *
 * @throws DomainError `unavailable`.
 */
export const verifyAttempt = async (
  { hasher, attempt }: { hasher: PasswordHasher; attempt: LoginAttempt },
  password: string,
  hash: PasswordHash | null,
  request: HashRequest,
): Promise<boolean> => {
  try {
    return await hasher.verify(password, hash, request);
  } catch (error) {
    if (!request.isAbandoned?.()) await attempt.withdraw();
    throw error;
  }
};
