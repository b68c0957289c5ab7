import { fault } from '../../fields/field-check.ts';
import { foldPassword, nameFault, type UserNames } from '../../fields/password.ts';
import type { FieldFault } from '../../model/errors.ts';
import type { PasswordHash } from '../../model/user.ts';
import type { LoginAttempt } from '../../ports/login-limits.ts';
import type { CommonPasswords, HashRequest, PasswordHasher } from '../../ports/passwords.ts';

/**
 * Returns the fault of a new password that is easy to guess: a common one, or the user's own username or email
 * regardless of case. None for other passwords, and without a new password.
 */
export const guessableFaults = (
  password: string | undefined,
  common: CommonPasswords,
  names: UserNames,
): readonly FieldFault[] => {
  if (password === undefined) return [];
  const isCommon = common.has(foldPassword(password));
  const weak = isCommon ? fault('too_common', 'is one of the most common passwords').fault : nameFault(password, names);
  return weak ? [{ field: 'password', ...weak }] : [];
};

/**
 * Verifies a password for an attempt that was counted when it began. If the hasher refuses, no guess was made: the
 * attempt is withdrawn, so that a flood from elsewhere cannot use up a user's attempts. The attempt of a client that
 * disconnects is not withdrawn; otherwise the client could fill the queue without a limit.
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
