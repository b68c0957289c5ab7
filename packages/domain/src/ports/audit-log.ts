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
