import { Migration } from '@mikro-orm/migrations';

/** Adds two columns that users see in their sessions, and a position in the write-ahead log. Release 0.1.0 leaves them null. */
export class OwnSessions extends Migration {
  override up(): void {
    this.addSql(`alter table "session"
      add column "refreshed_at" timestamptz(3) null,
      add column "user_agent" text null,
      add column "position" pg_lsn null`);
  }

  override down(): void {
    this.addSql('alter table "session" drop column "refreshed_at", drop column "user_agent", drop column "position"');
  }
}
