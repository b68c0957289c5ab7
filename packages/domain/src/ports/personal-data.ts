import type { AuditEntry } from '../model/audit-entry.ts';
import type { PersonalToken } from '../model/personal-token.ts';
import type { CalendarDate, Instant, User, UserId } from '../model/user.ts';
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
  /** Oldest first. Includes expired sessions until the database purges them; an external store returns active ones only. */
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
