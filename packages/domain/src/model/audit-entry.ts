import type { DivisionId, DivisionReference } from './division.ts';
import type { SessionId } from './session.ts';
import type { Instant, UserId } from './user.ts';

/** The changes and exports that the audit trail records, by use case or operator command. */
export type AuditAction =
  | 'createUser'
  | 'updateUser'
  | 'moveUser'
  | 'deleteUser'
  | 'endSessions'
  | 'createPasswordLink'
  | 'redeemPasswordLink'
  | 'eraseUser'
  | 'createDivision'
  | 'updateDivision'
  | 'deleteDivision'
  | 'pruneAudit'
  | 'exportUsers'
  | 'exportDivisionUsers'
  | 'exportDivisions';

/**
 * A value before and after a change; null if there was none. A new password appears only as "changed". The erasure of a
 * user sets both to null.
 */
export interface AuditedChange {
  readonly old: unknown;
  readonly new: unknown;
}

/** Describes ended sessions for an audit entry: one session by its id, or the number of all that ended. */
export const endedSessions = (sessionId: SessionId | null, count: number): Readonly<Record<string, AuditedChange>> =>
  sessionId === null ? { sessions: { old: count, new: 0 } } : { session: { old: sessionId, new: null } };

/** Describes the move of a user for an audit entry. */
export const movedDivision = (
  from: DivisionReference,
  to: DivisionReference,
): { readonly division: { readonly old: DivisionReference; readonly new: DivisionReference } } => ({
  division: { old: from, new: to },
});

/** The author's name in entries of an erased user. No username contains parentheses. */
export const ERASED_NAME = '(erased)';

/** Returns the changes of an entry without their values. */
export const withoutValues = (changes: AuditEntry['changes']): AuditEntry['changes'] =>
  Object.fromEntries(Object.keys(changes).map((field) => [field, { old: null, new: null }]));

/** The target and division of an entry about the audit trail itself: the nil UUID (RFC 9562, section 5.9). */
export const NO_TARGET = '00000000-0000-0000-0000-000000000000';

/** Describes a pruning of the audit trail: how many entries were removed, and the instant before which they were written. */
export const prunedEntries = (before: Instant, count: number): AuditEntry['changes'] => ({
  entries: { old: count, new: 0 },
  before: { old: null, new: before },
});

/** One change of one user or division, or of the trail itself, written in the transaction that made it, or one export. See contract §7 and §11. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Instant;
  readonly action: AuditAction;
  /** Null for the operator at the command line. */
  readonly authorId: UserId | null;
  readonly authorName: string;
  readonly requestId: string | null;
  readonly targetType: 'user' | 'division' | 'audit';
  /** {@link NO_TARGET} for the trail itself. */
  readonly targetId: UserId | DivisionId;
  /** The target division, or the division of the target user after the change. */
  readonly divisionId: DivisionId;
  /** The changed fields by their domain name; of an export, only `filters`. */
  readonly changes: Readonly<Record<string, AuditedChange>>;
}
