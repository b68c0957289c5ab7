import { idempotencyConflict } from '../../model/errors.ts';
import type { NewUser, User } from '../../model/user.ts';
import type { HashRequest } from '../../ports/passwords.ts';
import type { PriorCreation } from '../../ports/user-repository.ts';
import type { Ports } from './ports.ts';

/**
 * Returns the canonical text of a creation, which identifies a repeated request with the same idempotency key. It contains
 * all values except the id, the date of joining and the password. Release 0.1.0 stored texts in this order of fields.
 */
export const creationText = (user: Omit<NewUser, 'passwordHash'>): string => {
  const { id: _, dateJoined: __, email, firstName, lastName, birthdate, groups, isActive, ...others } = user;
  const { username, divisionId, isStaff, isSuperuser, ...later } = others;
  const defaulted = { email, firstName, lastName, birthdate, groups, isActive };
  return JSON.stringify({ ...defaulted, username, divisionId, isStaff, isSuperuser, ...later });
};

/**
 * Returns the user that an earlier creation with the same idempotency key created, if the request is the same.
 *
 * @throws DomainError `idempotency_conflict` if it is not; `unavailable`.
 */
export const repeatCreation = async (
  { hasher }: Pick<Ports, 'hasher'>,
  prior: PriorCreation,
  { text, password }: { readonly text: string | undefined; readonly password: string },
  request: HashRequest,
): Promise<User> => {
  const { passwordHash } = prior;
  // After a change of the password, do not compare it: the result would tell the caller whether a guess is right.
  const isSamePassword = async () =>
    passwordHash === null || hasher.verify(password, passwordHash, { ...request, isCoalesced: true });
  if (prior.request !== text || !(await isSamePassword())) throw idempotencyConflict();
  return prior.user;
};
