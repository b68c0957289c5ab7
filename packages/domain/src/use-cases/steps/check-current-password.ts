import { givenPassword } from '../../fields/password.ts';
import type { FieldFault } from '../../model/errors.ts';
import { validationFailed } from '../../model/errors.ts';
import type { Actor, PasswordHash, User } from '../../model/user.ts';
import type { CredentialStore } from '../../ports/credential-store.ts';
import type { LoginLimits } from '../../ports/login-limits.ts';
import type { PasswordHasher } from '../../ports/password-hasher.ts';
import { verifyAttempt } from './verify-attempt.ts';

/** What the check of a current password needs. */
export interface CurrentPasswordPorts {
  readonly credentials: CredentialStore;
  readonly hasher: PasswordHasher;
  readonly loginLimits: LoginLimits;
}

const incorrect: FieldFault = { field: 'currentPassword', code: 'incorrect', detail: 'is not the current password' };

/**
 * Checks what a user gives as their current password. Wrong ones count per user and network (contract, section 3).
 * Returns the hash that it was checked against, or the fault.
 *
 * @throws DomainError `rate_limited`, `unavailable`.
 */
export const checkCurrentPassword = async (
  { credentials, hasher, loginLimits }: CurrentPasswordPorts,
  actor: Actor,
  user: User,
  given: string,
): Promise<{ readonly hash: PasswordHash } | { readonly fault: FieldFault }> => {
  hasher.requireRoom();
  const attempt = await loginLimits.begin({ userId: user.id }, actor.origin?.network ?? '');
  const secret = givenPassword(given);
  const hash = secret === undefined ? null : ((await credentials.find(user.id))?.passwordHash ?? null);
  const request = { isAbandoned: actor.origin?.isAbandoned };
  const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, request);
  if (!matches || hash === null) return { fault: incorrect };
  await attempt.succeeded();
  return { hash };
};

/**
 * Holds the hash that was checked against the one that is locked now: between the two, somebody may have set another.
 *
 * @throws DomainError `validation_failed`.
 */
export const requireUnchangedPassword = (checked: PasswordHash | undefined, stored: PasswordHash | null): void => {
  if (checked !== undefined && checked !== stored) throw validationFailed([incorrect]);
};
