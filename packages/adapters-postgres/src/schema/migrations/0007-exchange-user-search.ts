import { Migration } from '@mikro-orm/migrations';

/**
 * Drops the previous inverted index of users and their previous order by username, and gives the next ones these names. Also drops
 * the index of users' tokens: bounded scans now serve the queries that only this index served (decision 21). Its function stays,
 * because statements of release 0.1.0 call it.
 *
 * `drop index` locks the table against all requests. It is the first statement, because a transaction that already held a lock
 * could cause a deadlock. The migration builds nothing, so it holds the lock only for a moment.
 */
export class ExchangeUserSearch extends Migration {
  override up(): void {
    this.addSql('drop index "user_account_search"');
    this.addSql('drop index "user_account_tokens"');
    this.addSql('drop index "user_account_username_key_order"');
    this.addSql('alter index "user_account_search_next" rename to "user_account_search"');
    this.addSql('alter index "user_account_username_key_order_next" rename to "user_account_username_key_order"');
  }

  // Writes of users wait for the builds. Renaming an index does not lock the table.
  override down(): void {
    this.addSql(
      'create index "user_account_search_previous" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops) with (gin_pending_list_limit = 256)',
    );
    this.addSql(
      'create index "user_account_tokens" on "user_account" using gin ("member_tokens"("division_id", "search", "groups", "is_active", "is_staff", "is_superuser")) with (gin_pending_list_limit = 256)',
    );
    this.addSql('alter index "user_account_tokens" alter column 1 set statistics 0');
    this.addSql(
      'create index "user_account_username_key_order_previous" on "user_account" ("division_id", "username_key", "id")',
    );
    this.addSql('alter index "user_account_search" rename to "user_account_search_next"');
    this.addSql('alter index "user_account_search_previous" rename to "user_account_search"');
    this.addSql('alter index "user_account_username_key_order" rename to "user_account_username_key_order_next"');
    this.addSql('alter index "user_account_username_key_order_previous" rename to "user_account_username_key_order"');
  }
}
