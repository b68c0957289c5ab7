import type { AuditedChange } from '../model/audit-entry.ts';
import type { Division } from '../model/division.ts';
import type { User } from '../model/user.ts';

const USER_FIELDS = [
  'username',
  'email',
  'firstName',
  'lastName',
  'groups',
  'birthdate',
  'isActive',
  'isStaff',
  'isSuperuser',
] as const;
const DIVISION_FIELDS = ['name', 'logo', 'fanpage'] as const;

const PASSWORD_CHANGED: AuditedChange = { old: null, new: 'changed' };

const differences = <T>(fields: readonly (keyof T & string)[], before: T | null, after: T | null) =>
  Object.fromEntries(
    fields
      .map((field) => [field, { old: before?.[field] ?? null, new: after?.[field] ?? null }] as const)
      .filter(([, change]) => JSON.stringify(change.old) !== JSON.stringify(change.new)),
  );

/** What changed from one state of a user to another; null stands for before the creation and after the deletion. */
export const userDifferences = (
  before: User | null,
  after: User | null,
  { passwordChanged = false } = {},
): Readonly<Record<string, AuditedChange>> => ({
  ...differences(USER_FIELDS, before, after),
  ...(passwordChanged ? { password: PASSWORD_CHANGED } : {}),
});

/** What changed from one state of a division to another; null stands for before its creation. */
export const divisionDifferences = (
  before: Division | null,
  after: Division,
): Readonly<Record<string, AuditedChange>> => differences(DIVISION_FIELDS, before, after);
