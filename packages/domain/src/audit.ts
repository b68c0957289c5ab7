import type { Division, DivisionId } from './division.ts';
import type { Instant, User, UserId } from './user.ts';

/** What an entry of the audit trail can report: the use cases and the operator's commands that change something. */
export type AuditAction = 'createUser' | 'updateUser' | 'deleteUser' | 'createDivision' | 'updateDivision';

/** A value before and after a change; `null` where there was none. A password is only ever shown as "changed". */
export interface AuditedChange {
  readonly old: unknown;
  readonly new: unknown;
}

/** One change of one user or division, written down in the transaction that made it. Contract, section 7. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Instant;
  readonly action: AuditAction;
  /** Null for the operator at the command line. */
  readonly authorId: UserId | null;
  readonly authorName: string;
  readonly requestId: string | null;
  readonly targetType: 'user' | 'division';
  readonly targetId: UserId | DivisionId;
  /** The division concerned: the target itself, or the one that the user belongs to. */
  readonly divisionId: DivisionId;
  /** The changed fields by their name in the domain. */
  readonly changes: Readonly<Record<string, AuditedChange>>;
}

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
