import { type CalendarDate, GROUPS, type Group, inGroupOrder, isGroup, type User } from '../model/user.ts';
import {
  anyString,
  day,
  type FieldCheck,
  type FieldChecks,
  fault,
  flag,
  makeDifferences,
  makeIsSame,
  nullable,
  type TextRule,
  uuid,
} from './field-check.ts';
import {
  ASSIGNED_ONCE,
  CHANGED_BY_CALLER,
  checksOf,
  defaultsOf,
  type FieldsWith,
  type FieldTable,
  fieldsWith,
  nameField,
  nullableTextField,
  plainField,
  type SentValues,
  textField,
} from './field-table.ts';
import { makePasswordCheck } from './password.ts';

/** Limits of a user's text fields. See contract §4. */
export const userRules = {
  /** The login name. */
  username: {
    min: 1,
    max: 150,
    pattern: /^[A-Za-z0-9._+@-]+$/,
    patternDetail: 'must contain only the characters A-Z a-z 0-9 . _ + @ -',
  },
  /** The email address. */
  email: { min: 0, max: 254, pattern: /^[^@\s]+@[^@\s]+$/, patternDetail: 'must be an email address with one @' },
  /** A first or last name, which may be empty. */
  personName: { min: 0, max: 150 },
} as const satisfies Record<string, TextRule>;

/** The earliest birthdate; the latest is today (UTC). See contract §4. */
export const EARLIEST_BIRTHDATE: CalendarDate = '1900-01-01';

const groups: FieldCheck<readonly Group[]> = (input) => {
  if (!Array.isArray(input)) return fault('invalid_type', 'must be an array');
  // A longer array has an unknown group or a duplicate among the first items, so the rest need not be checked.
  const first: readonly unknown[] = input.slice(0, GROUPS.length + 1);
  if (first.some((group) => typeof group !== 'string')) return fault('invalid_type', 'must be an array of group names');
  if (!first.every(isGroup)) return fault('invalid_format', `must contain only the groups ${GROUPS.join(', ')}`);
  if (new Set(first).size < first.length) return fault('duplicate', 'must not contain a group twice');
  return { value: inGroupOrder(first) };
};

/** Values that the checks of a user's fields depend on. */
export interface UserCheckContext {
  /** Returns the present day in UTC, the latest birthdate. */
  readonly today: () => CalendarDate;
  /** Minimum code points of a new password. */
  readonly passwordMinLength: number;
}

const birthdate = ({ today }: Pick<UserCheckContext, 'today'>) =>
  nullable((input) => {
    const checked = day(input);
    if ('fault' in checked) return checked;
    const latest = today();
    const isInRange = checked.value >= EARLIEST_BIRTHDATE && checked.value <= latest;
    return isInRange ? checked : fault('out_of_range', `must be from ${EARLIEST_BIRTHDATE} to ${latest}`);
  });
const operatorFlag = { ...plainField('boolean'), check: null, default: false, listed: true, audited: true } as const;

/**
 * All fields of a user, in the order in which lists show them. List fields, checks, defaults, audited fields and the
 * in-memory adapter derive from this table. See contract §3 and §4.
 */
export const userFields = {
  id: { ...plainField('uuid'), check: null, ...ASSIGNED_ONCE },
  username: nameField(userRules.username),
  email: { ...nullableTextField(userRules.email), default: null, ...CHANGED_BY_CALLER, searched: true },
  firstName: { ...textField(userRules.personName), default: '', ...CHANGED_BY_CALLER, searched: true },
  lastName: { ...textField(userRules.personName), default: '', ...CHANGED_BY_CALLER, searched: true },
  // Callers may send only the current division.
  division: { ...plainField('division'), check: () => uuid, ...ASSIGNED_ONCE },
  groups: { ...plainField('groups'), check: () => groups, default: ['User'], ...CHANGED_BY_CALLER },
  birthdate: { ...plainField('date'), nullable: true, check: birthdate, default: null, ...CHANGED_BY_CALLER },
  isActive: { ...plainField('boolean'), check: () => flag, default: true, ...CHANGED_BY_CALLER },
  isStaff: { ...operatorFlag, changedBy: 'operator' },
  isSuperuser: { ...operatorFlag, changedBy: 'operator' },
  dateJoined: { ...plainField('instant'), check: null, ...ASSIGNED_ONCE },
} as const satisfies FieldTable<User, UserCheckContext>;

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
