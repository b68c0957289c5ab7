import { Migration } from '@mikro-orm/migrations';

/** Records whether a stored response's user still has the first password. Release 0.1.0 leaves the column null. */
export class PasswordFingerprints extends Migration {
  override up(): void {
    this.addSql('alter table "idempotency_key" add column "password_fingerprint" text null');
  }

  override down(): void {
    this.addSql('alter table "idempotency_key" drop column "password_fingerprint"');
  }
}
