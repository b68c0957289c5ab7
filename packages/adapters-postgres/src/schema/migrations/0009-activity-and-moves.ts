import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the table of the days on which users were last active, and fills it from their sessions. Adds the index of moves by the
 * division that a user left. Release 0.1.0 uses neither.
 */
export class ActivityAndMoves extends Migration {
  override up(): void {
    this.addSql(`create table "user_activity" (
      "user_id" uuid not null,
      "last_active_on" date not null,
      primary key ("user_id"),
      constraint "user_activity_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade
    )`);
    this.addSql(`insert into "user_activity" ("user_id", "last_active_on")
      select "user_id", (max(coalesce("refreshed_at", "started_at")) at time zone 'UTC')::date
        from "session" group by "user_id"`);
    this.addSql(`create index "audit_entry_left_division" on "audit_entry"
      ((changes -> 'division' -> 'old' ->> 'id'), "at") where action = 'moveUser'`);
  }

  override down(): void {
    this.addSql('drop index "audit_entry_left_division"');
    this.addSql('drop table "user_activity"');
  }
}
