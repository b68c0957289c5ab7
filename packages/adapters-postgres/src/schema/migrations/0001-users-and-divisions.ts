import { Migration } from '@mikro-orm/migrations';

/**
 * The functions of two indexes of release 0.1.0, `user_account_tokens` and `division_tokens`. Migration 0007 drops these indexes,
 * but keeps the functions, because statements of release 0.1.0 call them. They use only their arguments and built-in
 * functions, so that they return the same result in every session.
 *
 * `search_grams` returns the characters of a text and its pairs of adjacent characters. `member_tokens` adds the division and the
 * fields by which lists are often filtered.
 */
export const SEARCH_FUNCTIONS: readonly string[] = [
  String.raw`create function "search_grams"("text" text) returns text[] language sql immutable parallel safe
    return string_to_array("text", null)
      || string_to_array(rtrim(regexp_replace("text", '(..)', E'\\1\x01', 'g'), E'\x01'), E'\x01')
      || string_to_array(rtrim(regexp_replace(substr("text", 2), '(..)', E'\\1\x01', 'g'), E'\x01'), E'\x01')`,
  `create function "member_tokens"("division_id" uuid, "search" text, "groups" "member_group"[],
      "is_active" boolean, "is_staff" boolean, "is_superuser" boolean)
    returns text[] language sql immutable parallel safe
    return "search_grams"("search") || array["division_id"::text,
      case when "is_active" then 'is_active' else 'not is_active' end,
      case when "is_staff" then 'is_staff' else 'not is_staff' end,
      case when "is_superuser" then 'is_superuser' else 'not is_superuser' end,
      case when 'Leader' = any("groups") then 'Leader' end,
      case when 'Guest' = any("groups") then 'Guest' end,
      case when 'User' = any("groups") then 'User' end]`,
];

/** The tables of the first version. */
export class UsersAndDivisions extends Migration {
  override up(): void {
    this.addSql('create extension if not exists "pg_trgm"');
    this.addSql('create extension if not exists "btree_gin"');
    this.addSql(`create type "member_group" as enum ('Leader', 'Guest', 'User')`);
    for (const text of SEARCH_FUNCTIONS) this.addSql(text);

    this.addSql(`create table "division" (
      "id" uuid not null,
      "name" text not null,
      "name_key" text collate "C" not null,
      "logo" text null,
      "logo_key" text collate "C" null,
      "fanpage" text null,
      "fanpage_key" text collate "C" null,
      "version" int not null default 1,
      "name_version" int not null default 1,
      primary key ("id"),
      constraint "division_name_key_unique" unique ("name_key")
    )`);
    this.addSql('create index "division_search" on "division" using gin ("name_key" gin_trgm_ops)');
    this.addSql('create index "division_tokens" on "division" using gin ("search_grams"("name_key"))');

    this.addSql(`create table "user_account" (
      "id" uuid not null,
      "username" text not null,
      "username_key" text collate "C" not null,
      "email" text null,
      "email_key" text collate "C" null,
      "first_name" text not null,
      "first_name_key" text collate "C" not null,
      "last_name" text not null,
      "last_name_key" text collate "C" not null,
      "division_id" uuid not null,
      "groups" "member_group"[] not null,
      "birthdate" date null,
      "is_active" boolean not null,
      "is_staff" boolean not null,
      "is_superuser" boolean not null,
      "date_joined" timestamptz(3) not null,
      "password_hash" text null,
      "version" int not null default 1,
      "search" text collate "C" not null generated always as ("username_key" || E'\\x01' || coalesce("email_key", '') || E'\\x01' || "first_name_key" || E'\\x01' || "last_name_key") stored,
      primary key ("id"),
      constraint "user_account_username_key_unique" unique ("username_key"),
      constraint "user_account_email_key_unique" unique ("email_key"),
      constraint "user_account_division_id_foreign" foreign key ("division_id") references "division" ("id")
    )`);
    this.addSql('create index "user_account_id_order" on "user_account" ("division_id", "id")');
    for (const column of ['date_joined', 'username_key', 'email_key', 'first_name_key', 'last_name_key', 'birthdate']) {
      this.addSql(`create index "user_account_${column}_order" on "user_account" ("division_id", "${column}", "id")`);
    }
    this.addSql(
      'create index "user_account_search" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops) with (gin_pending_list_limit = 256)',
    );
    this.addSql(
      'create index "user_account_tokens" on "user_account" using gin ("member_tokens"("division_id", "search", "groups", "is_active", "is_staff", "is_superuser")) with (gin_pending_list_limit = 256)',
    );
    // A value that is rare in the service may be frequent in a division: missing statistics are better than misleading ones.
    for (const index of ['user_account_tokens', 'division_tokens']) {
      this.addSql(`alter index "${index}" alter column 1 set statistics 0`);
    }
    this.addSql(
      `create index "user_account_active_leader" on "user_account" ("division_id") where "is_active" and "groups" @> '{Leader}'`,
    );

    this.addSql(`create table "session" (
      "id" uuid not null,
      "user_id" uuid not null,
      "started_at" timestamptz(3) not null,
      "expires_at" timestamptz(3) not null,
      primary key ("id"),
      constraint "session_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade
    )`);
    this.addSql('create index "session_user_id" on "session" ("user_id")');
    this.addSql('create index "session_expires_at" on "session" ("expires_at")');

    this.addSql(`create table "refresh_token" (
      "digest" text not null,
      "session_id" uuid not null,
      "spent_at" timestamptz(3) null,
      "expires_at" timestamptz(3) not null,
      primary key ("digest"),
      constraint "refresh_token_session_id_foreign" foreign key ("session_id") references "session" ("id") on delete cascade
    )`);
    this.addSql('create index "refresh_token_session_id" on "refresh_token" ("session_id")');
    this.addSql('create index "refresh_token_expires_at" on "refresh_token" ("expires_at")');

    this.addSql(`create table "idempotency_key" (
      "author" text not null,
      "key" text not null,
      "request" text not null,
      "password_hash" text null,
      "answer" json not null,
      "created_at" timestamptz(3) not null,
      primary key ("author", "key")
    )`);
    this.addSql('create index "idempotency_key_created_at" on "idempotency_key" ("created_at")');

    this.addSql(`create table "audit_entry" (
      "id" uuid not null,
      "at" timestamptz(3) not null,
      "action" text not null,
      "author_id" uuid null,
      "author_name" text not null,
      "request_id" text null,
      "target_type" text not null,
      "target_id" uuid not null,
      "division_id" uuid not null,
      "changes" json not null,
      primary key ("id")
    )`);
    this.addSql('create index "audit_entry_at" on "audit_entry" ("at", "id")');
    this.addSql('create index "audit_entry_author_id" on "audit_entry" ("author_id", "at")');
    this.addSql('create index "audit_entry_target_id" on "audit_entry" ("target_id", "at")');
    this.addSql('create index "audit_entry_division_id" on "audit_entry" ("division_id", "at")');

    this.addSql(`create table "login_limit" (
      "key" varchar(255) not null,
      "points" int not null,
      "expire" bigint null,
      primary key ("key")
    )`);
    this.addSql('create index "login_limit_expire" on "login_limit" ("expire")');
  }

  // The extensions stay, because other applications may use them by now.
  override down(): void {
    const tables = [
      'login_limit',
      'audit_entry',
      'idempotency_key',
      'refresh_token',
      'session',
      'user_account',
      'division',
    ];
    for (const table of tables) this.addSql(`drop table "${table}"`);
    this.addSql('drop function "member_tokens"');
    this.addSql('drop function "search_grams"');
    this.addSql('drop type "member_group"');
  }
}
