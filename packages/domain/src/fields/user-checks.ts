import type { User } from '../model/user.ts';
import { type FieldChecks, fault, makeDifferences, makeIsSame } from './field-check.ts';
import { checksOf, defaultsOf, type FieldsWith, fieldsWith, type SentValues } from './field-table.ts';
import { makePasswordCheck } from './password.ts';
import { type UserCheckContext, userFields } from './user-fields.ts';

type UserFields = typeof userFields;

/** Every field of a user but the revision, in the order of the table. */
export const USER_FIELDS = Object.freeze(Object.keys(userFields) as (keyof UserFields)[]);

const isChangedByOperator = (field: keyof UserFields): boolean => userFields[field].changedBy === 'operator';

/** Fields of a user that the service or its operator sets and no caller may send. Contract, section 3. */
export const USER_READ_ONLY = Object.freeze(
  // Those that never change come first.
  fieldsWith(userFields, 'check', null).toSorted(
    (a, b) => Number(isChangedByOperator(a)) - Number(isChangedByOperator(b)),
  ),
);

/** The fields of a user that an update may change, by a caller or by the operator. */
export const CHANGEABLE_USER_FIELDS = Object.freeze([
  ...fieldsWith(userFields, 'changedBy', 'caller'),
  ...fieldsWith(userFields, 'changedBy', 'operator'),
]);

/** New values for some fields of a user that callers may change; an absent key leaves the field as it is. */
export type UserChanges = Partial<Pick<User, FieldsWith<UserFields, 'changedBy', 'caller'>>>;

/** What a creation of a user may name: the fields that are not read-only, and a password. */
export interface SentUser extends SentValues<UserFields> {
  readonly password: string;
}

/** What an update of a user may name: the same, and the current password beside a new one of one's own. */
export interface SentUserChanges extends SentUser {
  readonly currentPassword: string;
}

/** Makes the checks of the fields of a new user. */
export const userChecks = (context: UserCheckContext): FieldChecks<SentUser> => ({
  ...checksOf(userFields, context),
  password: makePasswordCheck(context.passwordMinLength),
});

/** Makes the checks of the fields of an update. */
export const userChangeChecks = (context: UserCheckContext): FieldChecks<SentUserChanges> => ({
  ...userChecks(context),
  // It is only compared with what is stored; its length says nothing.
  currentPassword: (input) =>
    typeof input === 'string' ? { value: input } : fault('invalid_type', 'must be a string'),
});

/** What a creation gives where nothing was sent. Contract, section 4. */
export const NEW_USER_DEFAULTS = Object.freeze(defaultsOf(userFields));

/** Lists the audited changes of a user; null stands for before the creation and after the deletion. */
export const userDifferences = makeDifferences<User>(fieldsWith(userFields, 'audited', true));

/** Whether two states of a user have the same value in every field, audited or not. Revisions are not compared. */
export const isSameUser = makeIsSame<User>(USER_FIELDS);
