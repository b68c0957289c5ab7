import type { AuditedChange } from '../model/audit-entry.ts';
import type { Division } from '../model/division.ts';
import type { User } from '../model/user.ts';
import { DIVISION_FIELDS, divisionFields } from './division-fields.ts';
import { fieldsWith } from './field-table.ts';
import { USER_FIELDS } from './user-checks.ts';
import { userFields } from './user-fields.ts';

const AUDITED_USER_FIELDS = fieldsWith(userFields, 'audited', true);
const AUDITED_DIVISION_FIELDS = fieldsWith(divisionFields, 'audited', true);

const PASSWORD_CHANGED: AuditedChange = { old: null, new: 'changed' };

// Values of fields are JSON: strings, booleans, null, arrays of groups, and references to divisions.
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const differences = <T>(fields: readonly (keyof T & string)[], before: T | null, after: T | null) =>
  Object.fromEntries(
    fields
      .map((field) => [field, { old: before?.[field] ?? null, new: after?.[field] ?? null }] as const)
      .filter(([, change]) => !isSame(change.old, change.new)),
  );

/** Lists the audited changes of a user; null stands for before the creation and after the deletion. */
export const userDifferences = (
  before: User | null,
  after: User | null,
  { passwordChanged = false } = {},
): Readonly<Record<string, AuditedChange>> => ({
  ...differences(AUDITED_USER_FIELDS, before, after),
  ...(passwordChanged ? { password: PASSWORD_CHANGED } : {}),
});

/** Lists the audited changes of a division; null stands for before its creation. */
export const divisionDifferences = (
  before: Division | null,
  after: Division,
): Readonly<Record<string, AuditedChange>> => differences(AUDITED_DIVISION_FIELDS, before, after);

/** Whether two states of a user have the same value in every field, audited or not. Revisions are not compared. */
export const isSameUser = (one: User, other: User): boolean =>
  USER_FIELDS.every((field) => isSame(one[field], other[field]));

/** Whether two states of a division have the same value in every field, audited or not. Revisions are not compared. */
export const isSameDivision = (one: Division, other: Division): boolean =>
  DIVISION_FIELDS.every((field) => isSame(one[field], other[field]));
