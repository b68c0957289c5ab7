import type { User } from '../model/user.ts';
import { anyString, type FieldChecks, flag, makeDifferences, makeIsSame } from './field-check.ts';
import { checksOf, defaultsOf, type FieldsWith, fieldsWith, type SentValues } from './field-table.ts';
import { makePasswordCheck } from './password.ts';
import { type UserCheckContext, userFields } from './user-fields.ts';

type UserFields = typeof userFields;

/** All fields of a user except the revision, in the order of the table. */
export const USER_FIELDS = Object.freeze(Object.keys(userFields) as (keyof UserFields)[]);

/** Fields of a user that the service or the operator sets and callers may not send. See contract §3. */
export const USER_READ_ONLY = fieldsWith(userFields, 'check', null);

/** Fields of a user that an update by a caller or by the operator may change. */
export const CHANGEABLE_USER_FIELDS = Object.freeze([
  ...fieldsWith(userFields, 'changedBy', 'caller'),
  ...fieldsWith(userFields, 'changedBy', 'operator'),
]);

/** The fields that a creation of a user may contain: all that are not read-only, and a password. */
export interface SentUser extends SentValues<UserFields> {
  /** In plain text; it is stored only as a hash. */
  readonly password: string;
}

/** The fields that an update of a user may contain. A user's own new password requires the current one. */
export interface SentUserChanges extends SentUser {
  /** The password that the user has until this update. */
  readonly currentPassword: string;
}

/** Returns the checks of the fields of a new user. */
export const userChecks = (context: UserCheckContext): FieldChecks<SentUser> => ({
  ...checksOf(userFields, context),
  password: makePasswordCheck(context.passwordMinLength),
});

/** Returns the checks of the fields of an update. */
export const userChangeChecks = (context: UserCheckContext): FieldChecks<SentUserChanges> => ({
  ...userChecks(context),
  // It is compared with the stored password, so the rules of new passwords do not apply.
  currentPassword: anyString,
});

/** The flags of an Administrator, which only the operator may write. */
type Flags = Pick<User, FieldsWith<UserFields, 'changedBy', 'operator'>>;

/** Adds the checks of the flags for the operator; for every other caller, the flags have no check and are read-only. */
export const checksFor = <T>(operator: boolean, checks: FieldChecks<T>): FieldChecks<T & Flags> =>
  (operator ? { ...checks, isStaff: flag, isSuperuser: flag } : checks) as FieldChecks<T & Flags>;

/** Values of a new user for fields that were not sent. See contract §4. */
export const NEW_USER_DEFAULTS = Object.freeze(defaultsOf(userFields));

/** Returns the audited changes of a user. Null is the state before creation or after deletion. */
export const userDifferences = makeDifferences<User>(fieldsWith(userFields, 'audited', true));

/** Returns the changes of a user by an import, which can also change fields that are not audited otherwise. */
export const importedDifferences = makeDifferences<User>(USER_FIELDS);

/** Whether two states of a user are equal in every field, audited or not, apart from the revision. */
export const isSameUser = makeIsSame<User>(USER_FIELDS);
