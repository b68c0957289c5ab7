import type { Author, Instant, UserId } from '../model/user.ts';
import type { LockedUser } from './user-change.ts';

/** What an erasure removed or emptied. */
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

/** Removes data that no other port removes. Only the operator may do it, as the owner of the stored data. */
export interface Erasure {
  /**
   * Locks a user, calls `permit`, and in one transaction deletes the user with everything that belongs to them, and removes
   * their values from the audit trail. What remains are the ids and the names of the changed fields. The entry that records
   * the erasure has no value either. Works for deleted users too: then `permit` gets null. A response to the creation of the user
   * is emptied, so that a repeat of the request creates nothing; it is an `idempotency_conflict`.
   *
   * @throws DomainError `not_found` if nothing of such a user is stored; errors thrown by `permit`.
   */
  eraseUser(author: Author, id: UserId, permit: (locked: LockedUser | null) => void): Promise<ErasedData>;

  /** Removes the audit entries before an instant, writes an entry about it, and returns how many were removed. */
  pruneAudit(author: Author, before: Instant): Promise<number>;
}
