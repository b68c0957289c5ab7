import type { Author, Instant, UserId } from '../model/user.ts';
import type { LockedUser } from '../writes/user-writes.ts';

/** Counts of the rows that an erasure removed or emptied. */
export interface ErasedData {
  /** The number of active sessions. */
  readonly sessions: number;
  /** The number of audit entries from which values were removed. */
  readonly auditEntries: number;
  /** The number of idempotency keys with their stored responses. */
  readonly storedResponses: number;
  /** The number of counters of the limits. */
  readonly counters: number;
}

/** Removes data that no other port removes, for the operator. */
export interface Erasure {
  /**
   * Locks a user, calls `permit`, and in one transaction deletes the user with everything that belongs to them and removes
   * their values from the audit trail. Audit entries keep only ids and the names of the changed fields; so does the entry that
   * records the erasure. A deleted user can be erased too: then `permit` gets null.
   *
   * Empties the stored response to the creation of the user, so that a repeat of that request creates nothing and ends with
   * `idempotency_conflict`.
   *
   * @throws DomainError `not_found` if nothing is stored about such a user; errors thrown by `permit`.
   */
  eraseUser(author: Author, id: UserId, permit: (locked: LockedUser | null) => void): Promise<ErasedData>;

  /** Removes the audit entries before an instant, writes an entry about it, and returns how many were removed. */
  pruneAudit(author: Author, before: Instant): Promise<number>;
}
