import { Migration } from '@mikro-orm/migrations';

/**
 * Drops the previous inverted indexes of users and divisions and the previous order of users by username, and gives the next ones
 * these names. Also drops the indexes of users' and divisions' tokens: bounded scans now serve the queries that only they served
 * (decision 21). Their functions stay, because statements of release 0.1.0 call them.
 *
 * `drop index` locks the table against all requests. The first statement locks users, because a transaction that already held a
 * lock could cause a deadlock. Divisions are locked next, as requests do. A transaction that holds divisions and waits for users,
 * such as an import, could only be a deadlock, so the migration gives way before PostgreSQL ends one of both: `deadlock_timeout`
 * is one second. The migration builds nothing, so it holds the locks only for a moment.
 */
export class ExchangeIndexes extends Migration {
  override up(): void {
    this.addSql('drop index "user_account_search"');
    this.addSql('drop index "user_account_tokens"');
    this.addSql('drop index "user_account_username_key_order"');
    this.addSql('alter index "user_account_search_next" rename to "user_account_search"');
    this.addSql('alter index "user_account_username_key_order_next" rename to "user_account_username_key_order"');
    this.addSql(`set local lock_timeout = '500ms'`);
    this.addSql('drop index "division_search"');
    this.addSql('drop index "division_tokens"');
    this.addSql('alter index "division_search_next" rename to "division_search"');
  }

  // Writes of users and divisions wait for the builds. Renaming an index does not lock the table.
  override down(): void {
    this.addSql('lock table "division" in share mode');
    this.addSql(
      'create index "user_account_search_previous" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops) with (gin_pending_list_limit = 256)',
    );
    this.addSql(
      'create index "user_account_tokens" on "user_account" using gin ("member_tokens"("division_id", "search", "groups", "is_active", "is_staff", "is_superuser")) with (gin_pending_list_limit = 256)',
    );
    this.addSql(
      'create index "user_account_username_key_order_previous" on "user_account" ("division_id", "username_key", "id")',
    );
    this.addSql('create index "division_search_previous" on "division" using gin ("name_key" gin_trgm_ops)');
    this.addSql('create index "division_tokens" on "division" using gin ("search_grams"("name_key"))');
    for (const index of ['user_account_tokens', 'division_tokens']) {
      this.addSql(`alter index "${index}" alter column 1 set statistics 0`);
    }
    for (const index of ['user_account_search', 'user_account_username_key_order', 'division_search']) {
      this.addSql(`alter index "${index}" rename to "${index}_next"`);
      this.addSql(`alter index "${index}_previous" rename to "${index}"`);
    }
  }
}
