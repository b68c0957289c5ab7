import type { DivisionId, DivisionReference } from './division.ts';
import type { Instant, UserId } from './user.ts';

/** The changes and exports that the audit trail records, by use case or operator command. */
export const AUDIT_ACTIONS = Object.freeze([
  'createUser',
  'updateUser',
  'moveUser',
  'deleteUser',
  'endSessions',
  'unlockUser',
  'createPasswordLink',
  'redeemPasswordLink',
  'createAccessToken',
  'endAccessToken',
  'eraseUser',
  'createDivision',
  'updateDivision',
  'deleteDivision',
  'pruneAudit',
  'exportUsers',
  'exportDivisionUsers',
  'exportDivisions',
] as const);

/** One of {@link AUDIT_ACTIONS}. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * A value before and after a change; null if there was none. A new password appears only as "changed". The erasure of a
 * user sets both to null.
 */
export interface AuditedChange {
  /** The value before the change. */
  readonly old: unknown;
  /** The value after the change. */
  readonly new: unknown;
}

/** The author's name in entries of an erased user. No username contains parentheses. */
export const ERASED_NAME = '(erased)';

/** Returns the changes of an entry without their values. */
export const withoutValues = (changes: AuditEntry['changes']): AuditEntry['changes'] =>
  Object.fromEntries(Object.keys(changes).map((field) => [field, { old: null, new: null }]));

/** The target and division of an entry about the audit trail or all divisions: the nil UUID (RFC 9562, section 5.9). */
export const NO_TARGET = '00000000-0000-0000-0000-000000000000';

/** Describes an export of files by the operator. */
export const exportedFiles = (files: readonly string[], withHashes: boolean): AuditEntry['changes'] => ({
  files: { old: null, new: files },
  withHashes: { old: null, new: withHashes },
});

/** One change of a user, a division or the trail, written in the transaction that made it, or one export. Contract §7, §11. */
export interface AuditEntry {
  /** Entries of the same instant are in the order of their ids. */
  readonly id: string;
  readonly at: Instant;
  readonly action: AuditAction;
  /** Null for the operator at the command line. */
  readonly authorId: UserId | null;
  /** The author's name at the time of the change. */
  readonly authorName: string;
  /** The id under which the request is logged; null outside a request. */
  readonly requestId: string | null;
  /** What was changed; `audit` for the trail itself. */
  readonly targetType: 'user' | 'division' | 'audit';
  /** {@link NO_TARGET} for the trail itself and for all divisions. */
  readonly targetId: UserId | DivisionId;
  /** The target division, or the division of the target user after the change. */
  readonly divisionId: DivisionId;
  /** The division that the target user left by this change; null for every other change. An erasure keeps it. */
  readonly leftDivisionId: DivisionId | null;
  /** The changed fields by their domain name; of an export, only `filters`, or `files` and `withHashes`. */
  readonly changes: Readonly<Record<string, AuditedChange>>;
}

/** What an audit entry says about its action: all but the author, the id and the time. */
export type AuditedAction = Pick<AuditEntry, 'action' | 'targetType' | 'targetId' | 'divisionId' | 'changes'> &
  Partial<Pick<AuditEntry, 'leftDivisionId'>>;

/** Returns what an entry says about an action on a user, with the division that they belong to after it. */
export const userAudit = (
  action: AuditAction,
  { division, id }: { readonly id: UserId; readonly division: { readonly id: DivisionId } },
  changes: AuditEntry['changes'] = {},
): AuditedAction => {
  const left = changes['division']?.old as DivisionReference | null | undefined;
  const about = { action, targetType: 'user', targetId: id, divisionId: division.id, changes } as const;
  return left ? { ...about, leftDivisionId: left.id } : about;
};

/** Returns what an entry says about an action on a division. */
export const divisionAudit = (action: AuditAction, id: DivisionId, changes: AuditEntry['changes']): AuditedAction => ({
  action,
  targetType: 'division',
  targetId: id,
  divisionId: id,
  changes,
});

/** Returns what an entry says about a pruning: how many entries were removed, and the instant before which they were written. */
export const pruningAudit = (before: Instant, count: number): AuditedAction => ({
  ...divisionAudit('pruneAudit', NO_TARGET, { entries: { old: count, new: 0 }, before: { old: null, new: before } }),
  targetType: 'audit',
});

/** The change of a name in an audit entry; null before a creation, after a deletion, and in entries of an erased user. */
export interface Renaming {
  readonly at: Instant;
  /** The id of its audit entry. */
  readonly id: string;
  /** The name before; null if the entry has none. */
  readonly old: string | null;
  /** The name after; null if the entry has none. */
  readonly new: string | null;
}

/**
 * Returns what the target of an entry was called after the change: as the last renaming until then left it, otherwise
 * as the first one found it, otherwise by its present name. Takes all renamings of the target, in the order of writing.
 */
export const targetNameAt = (
  { at, id }: Pick<AuditEntry, 'at' | 'id'>,
  renamings: readonly Renaming[],
  present: string | null,
): string | null => {
  const isUntil = (renaming: Renaming): boolean => renaming.at < at || (renaming.at === at && renaming.id <= id);
  const last = renamings.findLast((renaming) => renaming.new !== null && isUntil(renaming));
  return last?.new ?? renamings.find(({ old }) => old !== null)?.old ?? present;
};
