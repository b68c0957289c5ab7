import { Migration } from '@mikro-orm/migrations';

/** Records whose attempts each counter counts, so that an erasure finds the counter. Release 0.1.0 leaves the column null. */
export class CountedSubjects extends Migration {
  override up(): void {
    this.addSql('alter table "login_limit" add column "subject" text null');
  }

  override down(): void {
    this.addSql('alter table "login_limit" drop column "subject"');
  }
}
