import { Migration } from '@mikro-orm/migrations';

/**
 * A page in the default order is read from the index alone: its rows lie all over the table, and side by side there. What
 * it has, other indexes have in some form, so that a change costs one more entry and nothing else, unless it is one of upper
 * and lower case alone.
 *
 * It has a condition that every row meets, so that PostgreSQL takes it only where a statement says the same: for another
 * order it would look like a cheap way to read a whole division, and sort it.
 */
export class PagesInAnIndex extends Migration {
  override up(): void {
    // The longest texts that a user may have fit into an entry of an index, at four bytes a character: a username is ASCII.
    this.addSql(
      `create index "user_account_listed" on "user_account" ("division_id", "date_joined", "id") include ("username", "email", "first_name", "last_name", "groups", "birthdate", "is_active", "is_staff", "is_superuser") where "username" >= ''`,
    );
  }

  override down(): void {
    this.addSql('drop index "user_account_listed"');
  }
}
