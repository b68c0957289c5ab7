import { Migration } from '@mikro-orm/migrations';

const ORDER = 'user_account_date_joined_order';

/**
 * Puts another index in the place of that of the default order while others read, who wait for the exchange alone.
 * Whoever writes waits from the first: a lock that is made stronger later would be waited for by one who waits for us.
 */
const replaceOrder = (definition: string): readonly string[] => [
  'lock table "user_account" in exclusive mode',
  `create index "${ORDER}_next" on "user_account" ${definition}`,
  `drop index "${ORDER}"`,
  `alter index "${ORDER}_next" rename to "${ORDER}"`,
];

/**
 * A search in the default order looks into the index alone for whoever does not have the word. For that, the index has the
 * search column as well, and the table is vacuumed often enough for indexes to know which rows everybody sees.
 */
export class SearchInTheOrder extends Migration {
  override up(): void {
    // The longest texts that a user may have fit into an entry of an index, at four bytes a character: a username is ASCII.
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
