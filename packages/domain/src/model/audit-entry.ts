import type { DivisionId } from './division.ts';
import type { SessionId } from './session.ts';
import type { Instant, UserId } from './user.ts';

/** What an entry of the audit trail can report: the use cases and the operator's commands that change something. */
export type AuditAction =
  | 'createUser'
  | 'updateUser'
  | 'deleteUser'
  | 'endSessions'
  | 'createPasswordLink'
  | 'redeemPasswordLink'
  | 'createDivision'
  | 'updateDivision';

/** A value before and after a change; `null` where there was none. A password is only ever shown as "changed". */
export interface AuditedChange {
  readonly old: unknown;
  readonly new: unknown;
}

/** Returns what an entry says of sessions that ended: one by its id, or how many all were. */
export const endedSessions = (sessionId: SessionId | null, count: number): Readonly<Record<string, AuditedChange>> =>
  sessionId === null ? { sessions: { old: count, new: 0 } } : { session: { old: sessionId, new: null } };

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
