import { Migration } from '@mikro-orm/migrations';

/** Adds the table of personal access tokens, which release 0.1.0 does not use. It deletes them only together with their user. */
export class AccessTokens extends Migration {
  override up(): void {
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
  }

  override down(): void {
    this.addSql('drop table "personal_token"');
  }
}
