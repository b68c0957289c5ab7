import { type CalendarDate, GROUPS, type Group, inGroupOrder, isGroup, type User } from '../model/user.ts';
import { day, type FieldCheck, fault, flag, nullable, type TextRule, uuid } from './field-check.ts';
import {
  ASSIGNED_ONCE,
  CHANGED_BY_CALLER,
  type FieldTable,
  nameField,
  nullableTextField,
  plainField,
  textField,
} from './field-table.ts';

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
