import { Migration } from '@mikro-orm/migrations';

const DIVISION_TOKENS = 'create index "division_tokens" on "division" using gin ("search_grams"("name_key"))';

const USER_TOKENS =
  'create index "user_account_tokens" on "user_account" using gin ("member_tokens"("division_id", "search", "groups", "is_active", "is_staff", "is_superuser")) with (gin_pending_list_limit = 256)';

/** Replaces the inverted index. Writers wait from the beginning, readers only for the exchange at the end. */
const replaceSearch = (columns: string): readonly string[] => [
  'lock table "user_account" in exclusive mode',
  `create index "user_account_search_next" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops${columns}) with (gin_pending_list_limit = 256)`,
  'drop index "user_account_search"',
  'alter index "user_account_search_next" rename to "user_account_search"',
];

/**
 * Adds groups and flags to the index of trigrams, and drops the indexes of tokens. Bounded scans now serve the queries that
 * only the dropped indexes served (decision 21). Their functions stay, because statements of release 0.1.0 call them.
 */
export class OneInvertedIndex extends Migration {
  override up(): void {
    for (const text of replaceSearch(', "groups", "is_active", "is_staff", "is_superuser"')) this.addSql(text);
    this.addSql('drop index "user_account_tokens"');
    this.addSql('drop index "division_tokens"');
  }

  override down(): void {
    for (const text of replaceSearch('')) this.addSql(text);
    this.addSql(USER_TOKENS);
    this.addSql(DIVISION_TOKENS);
    for (const index of ['user_account_tokens', 'division_tokens']) {
      this.addSql(`alter index "${index}" alter column 1 set statistics 0`);
    }
  }
}
