import { Migration } from '@mikro-orm/migrations';

/**
 * Returns an index column with the characters of a text, except frequent ASCII letters, digits, `@`, `.` and U+0001, which
 * separates the searched texts of each user.
 */
export const charactersOf = (column: string): string =>
  `(string_to_array(translate("${column}", 'abcdeghilmnoprstu0123456789@.' || chr(1), ''), null))`;

/**
 * Builds the next inverted index of users beside the present one. It has groups, flags and single characters, so that it also
 * finds words in other scripts and words of one or two letters (decision 21). Migration 0014 exchanges the indexes.
 *
 * Writes of users wait for the build, also those of logins that replace a weaker hash. Other logins, refreshes and reads continue
 * while the pool has free connections: `create index` locks only against writes. It cannot be `concurrently`, because a migration
 * runs in a transaction, and waiting instances hold transactions open that such a build would wait for.
 */
export class BuildUserSearch extends Migration {
  override up(): void {
    this.addSql(
      `create index "user_account_search_next" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops, "groups", "is_active", "is_staff", "is_superuser", ${charactersOf('search')}) with (gin_pending_list_limit = 256)`,
    );
  }

  override down(): void {
    this.addSql('drop index "user_account_search_next"');
  }
}
