import { Migration } from '@mikro-orm/migrations';

/** Returns an index column with the characters of a text, except those in trigrams and those in every email address. */
export const charactersOf = (column: string): string =>
  `(string_to_array(translate("${column}", 'abcdefghijklmnopqrstuvwxyz0123456789@.', ''), null))`;

/** Replaces an inverted index. Writers wait from the beginning, readers only for the exchange at the end. */
export const replaceIndex = (table: string, name: string, definition: string): readonly string[] => [
  `lock table "${table}" in exclusive mode`,
  `create index "${name}_next" on "${table}" using gin ${definition}`,
  `drop index "${name}"`,
  `alter index "${name}_next" rename to "${name}"`,
];

/** Replaces the inverted index of users by one with further `columns`. */
export const replaceSearch = (columns: string): readonly string[] =>
  replaceIndex(
    'user_account',
    'user_account_search',
    `(("division_id"::text), "search" gin_trgm_ops, "groups", "is_active", "is_staff", "is_superuser"${columns}) with (gin_pending_list_limit = 256)`,
  );

/**
 * Adds the characters that may be missing from trigrams to the inverted index of users, so that it finds words in other scripts
 * (decision 21). The next migration does the same for divisions: one transaction that locks both tables could cause a deadlock.
 */
export class CharactersInUserSearch extends Migration {
  override up(): void {
    for (const text of replaceSearch(`, ${charactersOf('search')}`)) this.addSql(text);
  }

  override down(): void {
    for (const text of replaceSearch('')) this.addSql(text);
  }
}
