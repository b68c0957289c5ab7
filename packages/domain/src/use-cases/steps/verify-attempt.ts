import type { PasswordHash } from '../../model/user.ts';
import type { LoginAttempt } from '../../ports/login-limits.ts';
import type { HashRequest, PasswordHasher } from '../../ports/password-hasher.ts';

/**
 * Verifies a password for an attempt that was counted when it started. If the hasher refuses, no guess was made: the
 * attempt is withdrawn, so that a flood from elsewhere cannot use up a user's attempts. A client that disconnects does
 * not get its attempt back; otherwise it could fill the queue and leave, without a limit.
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
