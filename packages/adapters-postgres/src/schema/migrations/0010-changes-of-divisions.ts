import { Migration } from '@mikro-orm/migrations';
import { NUMBER_ENTRIES } from '../entry-numbers.ts';

/**
 * Adds what the history of a division is read by: the id of the transaction that wrote an audit entry, and the division that a user
 * left, which the entry keeps when the user is erased. Defaults fill both for the entries of release 0.1.0, which moves no users.
 *
 * Adding the columns does not rewrite the table. Audited changes wait for the builds of the indexes, as in migration 0005. The new
 * indexes also find the entries for `audit --division`, so they replace two others.
 */
export class ChangesOfDivisions extends Migration {
  override up(): void {
    this.addSql('alter table "audit_entry" add column "left_division_id" uuid null');
    this.addSql(`update "audit_entry" set "left_division_id" = (changes -> 'division' -> 'old' ->> 'id')::uuid
      where action = 'moveUser' and changes -> 'division' -> 'old' ->> 'id' is not null`);
    this.addSql('drop index "audit_entry_division_id", "audit_entry_left_division"');
    for (const text of NUMBER_ENTRIES) this.addSql(text);
  }

  override down(): void {
    this.addSql('lock table "audit_entry"');
    this.addSql('comment on table "audit_entry" is null');
    this.addSql('create index "audit_entry_division_id" on "audit_entry" ("division_id", "at")');
    this.addSql(`create index "audit_entry_left_division" on "audit_entry"
      ((changes -> 'division' -> 'old' ->> 'id'), "at") where action = 'moveUser'`);
    this.addSql('alter table "audit_entry" drop column "xid", drop column "left_division_id"');
  }
}
