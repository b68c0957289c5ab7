import { GROUPS, type Group, inGroupOrder, isGroup } from '../model/group.ts';
import type { CalendarDate, User, UserChanges } from '../model/user.ts';
import { parseUuid } from '../model/uuid.ts';
import { dayBetween } from './calendar-date.ts';
import { type FieldCheck, type FieldChecks, fault, flag, nullable, type TextRule, text } from './field-check.ts';
import { makePasswordCheck } from './password.ts';

/** Fields of a user that the service or its operator sets and no caller may send. Contract, section 3. */
export const USER_READ_ONLY = Object.freeze(['id', 'dateJoined', 'isStaff', 'isSuperuser'] as const);

/** The bounds of a user's text fields. Contract, section 4. */
export const userRules = {
  username: {
    min: 1,
    max: 150,
    pattern: /^[A-Za-z0-9._+@-]+$/,
    patternDetail: 'may have the characters A-Z a-z 0-9 . _ + @ - only',
  },
  email: { min: 0, max: 254, pattern: /^[^@\s]+@[^@\s]+$/, patternDetail: 'must be an email address with one @' },
  personName: { min: 0, max: 150 },
} as const satisfies Record<string, TextRule>;

/** The earliest birthdate; the latest is today (UTC). Contract, section 4. */
export const EARLIEST_BIRTHDATE: CalendarDate = '1900-01-01';

const groups: FieldCheck<readonly Group[]> = (input) => {
  if (!Array.isArray(input)) return fault('invalid_type', 'must be an array of group names');
  // With more items than there are groups, one of the first is no group or occurs twice, so the others need no look.
  const first: readonly unknown[] = input.slice(0, GROUPS.length + 1);
  if (first.some((group) => typeof group !== 'string')) return fault('invalid_type', 'must be an array of group names');
  if (!first.every(isGroup)) return fault('invalid_format', `may have ${GROUPS.join(', ')} only`);
  if (new Set(first).size < first.length) return fault('duplicate', 'must not name a group twice');
  return { value: inGroupOrder(first) };
};

const divisionId: FieldCheck<string> = (input) => {
  if (typeof input !== 'string') return fault('invalid_type', 'must be the id of a division');
  const value = parseUuid(input);
  return value === undefined ? fault('invalid_format', 'must be a UUID') : { value };
};

/** What an update of a user may name: the user's own fields, the present division, and a new password. */
export interface SentUserChanges extends Required<UserChanges> {
  readonly division: string;
  readonly password: string;
  readonly currentPassword: string;
}

/** What a creation of a user may name. */
export type SentUser = Omit<SentUserChanges, 'currentPassword'>;

/** What the rules of a user's fields depend on: the latest birthdate, and the code points of a new password at least. */
export interface UserCheckContext {
  readonly today: () => CalendarDate;
  readonly passwordMinLength: number;
}

/** The rules of the fields of a new user. */
export const userChecks = ({ today, passwordMinLength }: UserCheckContext): FieldChecks<SentUser> => ({
  username: text(userRules.username),
  email: nullable(text(userRules.email)),
  firstName: text(userRules.personName),
  lastName: text(userRules.personName),
  birthdate: nullable(dayBetween(EARLIEST_BIRTHDATE, today)),
  groups,
  isActive: flag,
  division: divisionId,
  password: makePasswordCheck(passwordMinLength),
});

/** The rules of the fields of an update. */
export const userChangeChecks = (context: UserCheckContext): FieldChecks<SentUserChanges> => ({
  ...userChecks(context),
  // Whatever it is, it is compared with what is stored; its length says nothing.
  currentPassword: (input) =>
    typeof input === 'string' ? { value: input } : fault('invalid_type', 'must be a string'),
});

/** What a creation gives where nothing was sent. Contract, section 4. */
export const NEW_USER_DEFAULTS = {
  email: null,
  firstName: '',
  lastName: '',
  birthdate: null,
  groups: ['User'],
  isActive: true,
} as const satisfies Partial<User>;
