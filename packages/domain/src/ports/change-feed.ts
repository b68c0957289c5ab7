import type { DivisionId } from '../model/division.ts';
import type { NamedAuditEntry } from './audit-log.ts';

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
  /** The position from which the feed continues: after the page, or for `before`, after all entries that it has delivered by now. */
  readonly after: ChangePosition;
}

/**
 * Reads the history of a division: the entries about it, and about the users who were in it before or after the change. Each
 * entry has the present name of its target, or null if the target does not belong to the division any more.
 *
 * Entries are ordered by the transactions that wrote them. With `after`, an entry is delivered once no transaction is left that
 * could write an entry before it. So the feed skips and repeats no entry when transactions commit in another order; an open transaction
 * only delays it. Entries of concurrent transactions may be in another order than their changes of the same user.
 */
export interface ChangeFeed {
  /**
   * Returns null if there is no entry of the division at the position (any more).
   *
   * @throws DomainError `unavailable`.
   */
  list(divisionId: DivisionId, query: ChangeQuery): Promise<ChangePage | null>;
}
