import { Migration } from '@mikro-orm/migrations';

/** Adds the table of password links. Release 0.1.0 does not use it. */
export class PasswordLinks extends Migration {
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
  }

  override down(): void {
    this.addSql('drop table "password_link"');
  }
}
