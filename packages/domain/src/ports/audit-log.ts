import type { AuditAction, AuditEntry } from '../model/audit-entry.ts';
import type { DivisionId } from '../model/division.ts';
import type { Instant, UserId } from '../model/user.ts';

/** Which entries to read; an absent property does not restrict. */
export interface AuditFilter {
  /** Entries whose target or author is one of these users. */
  readonly userIds?: readonly UserId[];
  /** Entries about this division, about users who were its members then, and about users who moved out of it. */
  readonly divisionId?: DivisionId;
  /** Entries from this instant on, inclusively. */
  readonly since?: Instant;
  /** Entries before this instant. */
  readonly until?: Instant;
  readonly action?: AuditAction;
  /** Maximum number of entries. */
  readonly limit: number;
}

/** An entry with the name of its target. */
export interface NamedAuditEntry extends AuditEntry {
  /** The username or the division's name after the change; null if no entry and no stored row contains it. */
  readonly targetName: string | null;
}

/** Reads the audit trail. Entries are written by the repositories, in the transaction of the change. */
export interface AuditLog {
  /** Returns entries, newest first; entries of the same instant in reverse order of writing. */
  list(filter: AuditFilter): Promise<readonly NamedAuditEntry[]>;

  /** Returns all users who have or had this username (in lower case), including renamed and deleted ones. */
  findUsersByName(username: string): Promise<readonly UserId[]>;
}

/** The place of an entry in the history of a division, in a form that only the adapter reads; empty before the first entry. */
export type ChangePosition = string;

/** Which entries of a division to read: its newest, those before an entry, or those after one. */
export interface ChangeQuery {
  /** Whether the entries are older or newer than the position. */
  readonly side: 'before' | 'after';
  /** An empty position selects the newest entries for `before`, and the oldest ones for `after`. */
  readonly position: ChangePosition;
  /** Page size, 1 to 100. */
  readonly size: number;
}

/** A page of the history of a division: newest first for `before`, oldest first for `after`. */
export interface ChangePage<Entry = NamedAuditEntry> {
  /** At most as many as the query asks for. */
  readonly entries: readonly Entry[];
  /** The position of the last entry if there are more, otherwise null. */
  readonly next: ChangePosition | null;
  /** Where the feed continues: after the page, or for `before`, after all entries that it has delivered by now. */
  readonly after: ChangePosition;
}

/**
 * Reads the history of a division: the entries about it, and about the users who were in it before or after the change.
 * Each entry has the present name of its target, or null if the target does not belong to the division any more.
 *
 * Entries are ordered by the transactions that wrote them. With `after`, an entry is delivered once no transaction is left that
 * could write one before it. So the feed skips and repeats none when transactions commit in another order; an open one
 * only delays it. Entries of concurrent transactions may be in another order than their changes of the same user.
 */
export interface ChangeFeed {
  /** Null if the division has no entry at the position (any more). @throws DomainError `unavailable`. */
  list(divisionId: DivisionId, query: ChangeQuery): Promise<ChangePage | null>;
}
