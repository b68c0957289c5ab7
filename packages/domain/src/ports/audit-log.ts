import type { AuditEntry } from '../model/audit-entry.ts';
import type { DivisionId } from '../model/division.ts';
import type { Instant, UserId } from '../model/user.ts';

/** Which entries to read; what is absent does not restrict. */
export interface AuditFilter {
  /** Entries whose target or author is one of these users. */
  readonly userIds?: readonly UserId[];
  readonly divisionId?: DivisionId;
  /** Entries from this moment on. */
  readonly since?: Instant;
  /** How many at most. */
  readonly limit: number;
}

/** Reads the audit trail. Entries are written by the repositories, in the transaction of the change. */
export interface AuditLog {
  /** Newest first; of the same moment the one written last. */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>;

  /** Every user who, by the trail, has or had this username (in lower case), renamed and deleted users included. */
  findUsersByName(username: string): Promise<readonly UserId[]>;
}
