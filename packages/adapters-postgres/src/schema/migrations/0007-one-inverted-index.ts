import { Migration } from '@mikro-orm/migrations';

/**
 * Drops the index of users' tokens. Bounded scans now serve the queries that only this index served (decision 21). Its function
 * stays, because statements of release 0.1.0 call it. Migration 0015 drops the index of divisions' tokens, because one
 * transaction that locks both tables could cause a deadlock.
 *
 * An unreleased version of this migration also dropped `division_tokens`, and added groups and flags to `user_account_search`.
 * Databases in that state exist. So 0015 drops the index only if it exists, and 0014 replaces either `user_account_search`.
 */
export class OneInvertedIndex extends Migration {
  override up(): void {
    this.addSql('drop index "user_account_tokens"');
  }

  override down(): void {
    // Missing after the unreleased version. Divisions come first, because imports write them before users.
    this.addSql('create index if not exists "division_tokens" on "division" using gin ("search_grams"("name_key"))');
    this.addSql('alter index "division_tokens" alter column 1 set statistics 0');
    this.addSql(
      'create index "user_account_tokens" on "user_account" using gin ("member_tokens"("division_id", "search", "groups", "is_active", "is_staff", "is_superuser")) with (gin_pending_list_limit = 256)',
    );
    this.addSql('alter index "user_account_tokens" alter column 1 set statistics 0');
  }
}
