import { refuseFaults } from '../fields/field-check.ts';
import { nameFault } from '../fields/password.ts';
import { type FieldFault, preconditionFailed, validationFailed } from '../model/errors.ts';
import type { Revision } from '../model/revision.ts';
import { type Actor, type Caller, type Credentials, isOperator, type User } from '../model/user.ts';

/**
 * Returns a caller with their present rights: those of the locked row, or null if the user was deleted. The operator
 * has no row, and their rights never change.
 */
export const presentCaller = (caller: Caller, locked: Actor | null): Caller | null =>
  isOperator(caller) ? caller : locked;

/**
 * Requires the stored revision to be one of those that the caller knows; undefined accepts any. RFC 9110, section 13.1.1.
 *
 * @throws DomainError `precondition_failed` if it is none of them.
 */
export const requireRevision = (stored: Revision, known: readonly Revision[] | undefined): void => {
  if (known && !known.includes(stored)) throw preconditionFailed();
};

/** The fault of a current password that does not match. */
export const INCORRECT_PASSWORD: FieldFault = Object.freeze({
  field: 'currentPassword',
  code: 'incorrect',
  detail: 'is not the current password',
});

/**
 * Requires the locked password to be the one that the current password was checked against. Another request may have
 * changed it. A login that renews the hash of the same password changes no revision.
 *
 * @throws DomainError `validation_failed`.
 */
export const requireUnchangedPassword = (checked: Credentials | undefined, stored: Credentials): void => {
  if (checked && checked.passwordHash !== stored.passwordHash && checked.user.revision !== stored.user.revision)
    throw validationFailed([INCORRECT_PASSWORD]);
};

/**
 * Requires a new password to differ from the username and email that the locked user will have. Another request may
 * have changed them since the password was checked.
 *
 * @throws DomainError `validation_failed`.
 */
export const requirePasswordUnlikeNames = (password: string | undefined, { username, email }: User): void => {
  const weak = password === undefined ? undefined : nameFault(password, [username, email]);
  refuseFaults(weak ? [{ field: 'password', ...weak }] : []);
};
