import { Migration } from '@mikro-orm/migrations';

/**
 * Returns an index column with the characters of a text, except frequent ASCII letters, digits, `@`, `.` and U+0001, which
 * separates the searched texts of each user.
 */
const charactersOf = (column: string): string =>
  `(string_to_array(translate("${column}", 'abcdeghilmnoprstu0123456789@.' || chr(1), ''), null))`;

/**
 * Adds the tables of password links, of personal access tokens, and of the days on which users were last active. The last one is
 * filled from their sessions. Release 0.1.0 uses none of them. Then builds the next indexes beside the present ones, which
 * migration 0007 exchanges. The order by username stores the username, so that a list of ids and usernames reads no rows. The
 * inverted indexes have single characters, and that of users has groups and flags, so that they also find words in other scripts
 * and words of one or two letters (decision 21).
 *
 * Writes of users and divisions wait for the builds, also those of logins that replace a weaker hash. Other logins, refreshes and
 * reads continue while the pool has free connections. A build cannot be `concurrently`, because a migration runs in a transaction,
 * and waiting instances hold transactions open that such a build would wait for. Divisions are locked first, because an import
 * writes them before users.
 */
export class TablesAndNextIndexes extends Migration {
  override up(): void {
    this.addSql('lock table "division" in share mode');
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
    this.addSql(`create table "personal_token" (
      "id" uuid not null,
      "user_id" uuid not null,
      "name" text not null,
      "digest" text not null,
      "is_read_only" boolean not null,
      "created_at" timestamptz(3) not null,
      "expires_at" timestamptz(3) not null,
      "last_used_on" date null,
      primary key ("id"),
      constraint "personal_token_digest_unique" unique ("digest"),
      constraint "personal_token_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade
    )`);
    this.addSql('create index "personal_token_user_id" on "personal_token" ("user_id")');
    this.addSql('create index "personal_token_expires_at" on "personal_token" ("expires_at")');
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
      `create index "division_search_next" on "division" using gin ("name_key" gin_trgm_ops, ${charactersOf('name_key')})`,
    );
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
    this.addSql('drop table "personal_token"');
    this.addSql('drop table "password_link"');
    this.addSql(`set local lock_timeout = '500ms'`);
    this.addSql('drop index "division_search_next"');
  }
}
