import { Migration } from '@mikro-orm/migrations';

const ORDER = 'user_account_date_joined_order';

/**
 * A search in the default order looks into the index alone for whoever does not have the word. For that, the index has the
 * search column as well, and the table is vacuumed often enough for indexes to know which rows everybody sees.
 */
export class SearchInTheOrder extends Migration {
  override up(): void {
    this.addSql(`drop index "${ORDER}"`);
    // The longest texts that a user may have fit into an entry of an index, at four bytes a character.
    this.addSql(`create index "${ORDER}" on "user_account" ("division_id", "date_joined", "id") include ("search")`);
    this.addSql(
      'alter table "user_account" set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)',
    );
  }

  override down(): void {
    this.addSql(
      'alter table "user_account" reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor)',
    );
    this.addSql(`drop index "${ORDER}"`);
    this.addSql(`create index "${ORDER}" on "user_account" ("division_id", "date_joined", "id")`);
  }
}
