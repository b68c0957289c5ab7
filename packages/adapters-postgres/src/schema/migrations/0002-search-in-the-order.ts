import { Migration } from '@mikro-orm/migrations';

const ORDER = 'user_account_date_joined_order';

/**
 * Replaces the index of the default order. Readers wait only while the indexes are swapped. Writers wait from the start: if
 * the lock were upgraded later, a writer that waits for this transaction could cause a deadlock.
 */
const replaceOrder = (definition: string): readonly string[] => [
  'lock table "user_account" in exclusive mode',
  `create index "${ORDER}_next" on "user_account" ${definition}`,
  `drop index "${ORDER}"`,
  `alter index "${ORDER}_next" rename to "${ORDER}"`,
];

/**
 * Lets a search in the default order skip users without the word by reading only the index. So the index includes the search
 * column, and the table is vacuumed often enough for index-only scans to skip the table.
 */
export class SearchInTheOrder extends Migration {
  override up(): void {
    // The longest texts of a user fit into an index entry, even with four bytes per character (usernames are ASCII).
    for (const text of replaceOrder('("division_id", "date_joined", "id") include ("search")')) this.addSql(text);
    this.addSql(
      'alter table "user_account" set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)',
    );
  }

  override down(): void {
    this.addSql(
      'alter table "user_account" reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor)',
    );
    for (const text of replaceOrder('("division_id", "date_joined", "id")')) this.addSql(text);
  }
}
