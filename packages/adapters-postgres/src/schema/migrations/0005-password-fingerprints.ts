import { Migration } from '@mikro-orm/migrations';

/** Stores a fingerprint of the created user's password hash with each response. Release 0.1.0 leaves the column null. */
export class PasswordFingerprints extends Migration {
  override up(): void {
    this.addSql('alter table "idempotency_key" add column "password_fingerprint" text null');
  }

  override down(): void {
    this.addSql('alter table "idempotency_key" drop column "password_fingerprint"');
  }
}
