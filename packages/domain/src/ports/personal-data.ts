import type { AuditEntry } from '../model/audit-entry.ts';
import type { PersonalToken } from '../model/personal-token.ts';
import type { Author, CalendarDate, Instant, User, UserId } from '../model/user.ts';
import type { LockedUser } from '../writes/user-writes.ts';
import type { StoredSession } from './session-repository.ts';

/** A counter of a limit, without its network. */
export interface StoredCounter {
  /** What is counted: failed logins, wrong current passwords, or conflicts. */
  readonly kind: 'logins' | 'currentPasswords' | 'conflicts';
  /** How often it happened in the window. */
  readonly count: number;
  /** When the window of the counter ends. */
  readonly endsAt: Instant;
}

/** Everything that is stored about a user, except hashes and digests. The audit entries also contain values of other users. */
export interface StoredData {
  /** Null if the user was deleted. */
  readonly user: User | null;
  /** Whether a hash of a password is stored. */
  readonly hasPassword: boolean;
  /** The day of the last login or refresh; null if none is known. */
  readonly lastActiveOn: CalendarDate | null;
  /** Oldest first. Includes expired ones until they are purged. */
  readonly sessions: readonly StoredSession[];
  /** Oldest first. Includes expired ones until they are purged. */
  readonly tokens: readonly PersonalToken[];
  /** When the user's password link expires; null if there is none. */
  readonly linkExpiresAt: Instant | null;
  /** The idempotency keys that the user sent. */
  readonly keys: readonly { readonly key: string; readonly createdAt: Instant }[];
  /** The stored responses to creations of this user. */
  readonly responses: readonly { readonly user: User; readonly createdAt: Instant }[];
  readonly counters: readonly StoredCounter[];
  /** The entries with the user as author or target, oldest first. */
  readonly audit: readonly AuditEntry[];
}

/** Reads everything that is stored about a user, so that the operator can give it to the user. */
export interface PersonalData {
  /** Returns null if nothing is stored about such a user, present or deleted. */
  find(id: UserId): Promise<StoredData | null>;
}

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
   * Locks a user, calls `permit`, and in one transaction deletes the user with everything that belongs to them and
   * removes their values from the audit trail. Audit entries keep only ids and the names of the changed fields; so does
   * the entry that records the erasure. A deleted user can be erased too: then `permit` gets null.
   *
   * Empties the stored response to the creation of the user, so that a repeat of that request creates nothing and ends
   * with `idempotency_conflict`.
   *
   * @throws DomainError `not_found` if nothing is stored about such a user; errors thrown by `permit`.
   */
  eraseUser(author: Author, id: UserId, permit: (locked: LockedUser | null) => void): Promise<ErasedData>;

  /** Removes the audit entries before an instant, writes an entry about it, and returns how many were removed. */
  pruneAudit(author: Author, before: Instant): Promise<number>;
}
