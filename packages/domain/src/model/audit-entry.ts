import type { DivisionId } from './division.ts';
import type { SessionId } from './session.ts';
import type { Instant, UserId } from './user.ts';

/** The changes and exports that the audit trail records, by use case or operator command. */
export type AuditAction =
  | 'createUser'
  | 'updateUser'
  | 'deleteUser'
  | 'endSessions'
  | 'createPasswordLink'
  | 'redeemPasswordLink'
  | 'createDivision'
  | 'updateDivision'
  | 'exportUsers'
  | 'exportDivisionUsers'
  | 'exportDivisions';

/** A value before and after a change; null if there was none. A password only ever appears as "changed". */
export interface AuditedChange {
  readonly old: unknown;
  readonly new: unknown;
}

/** Describes ended sessions for an audit entry: one session by its id, or the number of all that ended. */
export const endedSessions = (sessionId: SessionId | null, count: number): Readonly<Record<string, AuditedChange>> =>
  sessionId === null ? { sessions: { old: count, new: 0 } } : { session: { old: sessionId, new: null } };

/** One change of one user or division, written in the transaction that made it, or one export. See contract §7 and §11. */
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
  /** The target division, or the division of the target user. */
  readonly divisionId: DivisionId;
  /** The changed fields by their domain name; of an export, only `filters`. */
  readonly changes: Readonly<Record<string, AuditedChange>>;
}
