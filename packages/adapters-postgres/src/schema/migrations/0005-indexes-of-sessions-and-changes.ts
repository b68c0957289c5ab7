import { Migration } from '@mikro-orm/migrations';
import { NUMBER_ENTRIES } from '../entry-numbers.ts';

/**
 * Builds the indexes by which a session is found for a consumed token, and a token by the one that it was exchanged for. Adds what
 * the history of a division is read by: the id of the transaction that wrote an audit entry, and the division that a user left,
 * which the entry keeps when the user is erased. Defaults fill both for the entries of release 0.1.0, which moves no users. The
 * new indexes also find the entries for `audit --division`, so they replace another one.
 *
 * Adding the columns does not rewrite the table. Logins, refreshes and audited changes wait for the builds. All locks are taken
 * before the builds, in the order in which release 0.1.0 takes them, so that a deadlock costs no build.
 */
export class IndexesOfSessionsAndChanges extends Migration {
  override up(): void {
    this.addSql('lock table "session", "refresh_token" in share mode');
    this.addSql('lock table "audit_entry"');
    this.addSql('alter table "audit_entry" add column "left_division_id" uuid null');
    this.addSql(`update "audit_entry" set "left_division_id" = (changes -> 'division' -> 'old' ->> 'id')::uuid
      where action = 'moveUser' and changes -> 'division' -> 'old' ->> 'id' is not null`);
    this.addSql('drop index "audit_entry_division_id"');
    for (const text of NUMBER_ENTRIES) this.addSql(text);
    this.addSql('create unique index "session_family" on "session" ("family")');
    this.addSql('create index "refresh_token_parent" on "refresh_token" ("parent")');
  }

  // Callers are found during the build: `drop index` alone locks sessions against reads.
  override down(): void {
    this.addSql('lock table "session", "refresh_token" in exclusive mode');
    this.addSql('lock table "audit_entry"');
    this.addSql('comment on table "audit_entry" is null');
    this.addSql('create index "audit_entry_division_id" on "audit_entry" ("division_id", "at")');
    this.addSql('alter table "audit_entry" drop column "xid", drop column "left_division_id"');
    this.addSql('drop index "session_family", "refresh_token_parent"');
  }
}
