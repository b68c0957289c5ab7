import { idempotencyConflict } from '../../model/errors.ts';
import type { NewUser, User } from '../../model/user.ts';
import type { PriorCreation } from '../../ports/idempotent-creation.ts';
import type { HashRequest, PasswordHasher } from '../../ports/password-hasher.ts';

/**
 * Returns a creation as the text by which a repeat under the same idempotency key is recognized: every value but those
 * that the service assigns and the password. Release 0.1.0 stored its texts in this order of fields.
 */
export const creationText = (user: Omit<NewUser, 'passwordHash'>): string => {
  const { id: _, dateJoined: __, email, firstName, lastName, birthdate, groups, isActive, ...others } = user;
  const { username, divisionId, isStaff, isSuperuser, ...later } = others;
  const defaulted = { email, firstName, lastName, birthdate, groups, isActive };
  return JSON.stringify({ ...defaulted, username, divisionId, isStaff, isSuperuser, ...later });
};

/**
 * Returns the user that an earlier creation under the same idempotency key created, if the request is the same.
 *
 * @throws DomainError `idempotency_conflict` if it is not; `unavailable`.
 */
export const repeatCreation = async (
  { hasher }: { hasher: PasswordHasher },
  earlier: PriorCreation,
  { text, password }: { readonly text: string | undefined; readonly password: string },
  request: HashRequest,
): Promise<User> => {
  const { passwordHash } = earlier;
  // A password that was changed since is not compared: the caller would learn whether a guess at it is right.
  const isSamePassword = async () => passwordHash === null || hasher.verify(password, passwordHash, request);
  if (earlier.request !== text || !(await isSamePassword())) throw idempotencyConflict();
  return earlier.user;
};
