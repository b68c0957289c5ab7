import { Migration } from '@mikro-orm/migrations';
import { charactersOf } from './0006-links-activity-and-search.ts';

/**
 * Adds single characters to the inverted index of divisions, and drops the index of their tokens. All requests of divisions wait
 * for the build, which is short: a service has far fewer divisions than users. `drop index` is the first statement, because a
 * transaction that already held a lock of the table could cause a deadlock. For the same reason, 0007 does not do this.
 */
export class ExchangeDivisionSearch extends Migration {
  override up(): void {
    this.addSql('drop index "division_search"');
    this.addSql('drop index "division_tokens"');
    this.addSql(
      `create index "division_search" on "division" using gin ("name_key" gin_trgm_ops, ${charactersOf('name_key')})`,
    );
  }

  override down(): void {
    this.addSql('drop index "division_search"');
    this.addSql('create index "division_search" on "division" using gin ("name_key" gin_trgm_ops)');
    this.addSql('create index "division_tokens" on "division" using gin ("search_grams"("name_key"))');
    this.addSql('alter index "division_tokens" alter column 1 set statistics 0');
  }
}
