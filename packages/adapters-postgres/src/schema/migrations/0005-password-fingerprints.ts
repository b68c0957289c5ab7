import { Migration } from '@mikro-orm/migrations';

/** Stored responses know by a fingerprint whether their user still has the first password. Release 0.1.0 leaves it null. */
export class PasswordFingerprints extends Migration {
  override up(): void {
    this.addSql('alter table "idempotency_key" add column "password_fingerprint" text null');
  }

  override down(): void {
    this.addSql('alter table "idempotency_key" drop column "password_fingerprint"');
  }
}
