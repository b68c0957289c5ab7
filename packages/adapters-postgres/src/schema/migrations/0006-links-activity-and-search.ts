import { Migration } from '@mikro-orm/migrations';

/**
 * Returns an index column with the characters of a text, except frequent ASCII letters, digits, `@`, `.` and U+0001, which
 * separates the searched texts of each user.
 */
export const charactersOf = (column: string): string =>
  `(string_to_array(translate("${column}", 'abcdeghilmnoprstu0123456789@.' || chr(1), ''), null))`;

/**
 * Adds the table of password links, and the table of the days on which users were last active, which it fills from their sessions.
 * Release 0.1.0 uses neither. Then builds the next two indexes of users beside the present ones, which migration 0007 exchanges.
 * The order by username stores the username, so that a list of ids and usernames reads no rows. The inverted index has groups,
 * flags and single characters, so that it also finds words in other scripts and words of one or two letters (decision 21).
 *
 * Writes of users wait for the builds, also those of logins that replace a weaker hash. Other logins, refreshes and reads continue
 * while the pool has free connections. A build cannot be `concurrently`, because a migration runs in a transaction, and
 * waiting instances hold transactions open that such a build would wait for.
 */
export class LinksActivityAndSearch extends Migration {
  override up(): void {
    this.addSql(`create table "password_link" (
      "user_id" uuid not null,
      "digest" text not null,
      "issuer_id" uuid null,
      "division_id" uuid not null,
      "is_staff" boolean not null,
      "is_superuser" boolean not null,
      "password_fingerprint" text null,
      "expires_at" timestamptz(3) not null,
      primary key ("user_id"),
      constraint "password_link_digest_unique" unique ("digest"),
      constraint "password_link_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade
    )`);
    this.addSql('create index "password_link_expires_at" on "password_link" ("expires_at")');
    this.addSql(`create table "user_activity" (
      "user_id" uuid not null,
      "last_active_on" date not null,
      primary key ("user_id"),
      constraint "user_activity_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade
    )`);
    this.addSql(`insert into "user_activity" ("user_id", "last_active_on")
      select "user_id", (max(coalesce("refreshed_at", "started_at")) at time zone 'UTC')::date
        from "session" group by "user_id"`);
    this.addSql(
      'create index "user_account_username_key_order_next" on "user_account" ("division_id", "username_key", "id") include ("username")',
    );
    this.addSql(
      `create index "user_account_search_next" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops, "groups", "is_active", "is_staff", "is_superuser", ${charactersOf('search')}) with (gin_pending_list_limit = 256)`,
    );
  }

  override down(): void {
    this.addSql('drop index "user_account_search_next"');
    this.addSql('drop index "user_account_username_key_order_next"');
    this.addSql('drop table "user_activity"');
    this.addSql('drop table "password_link"');
  }
}
