import { Migration } from '@mikro-orm/migrations';
import { charactersOf, replaceSearch } from './0011-characters-in-user-search.ts';

/** Returns an index column with the characters of a text, except digits, `@`, `.` and frequent ASCII letters. */
export const rareCharactersOf = (column: string): string =>
  `(string_to_array(translate("${column}", 'abcdeghilmnoprstu0123456789@.', ''), null))`;

/**
 * Adds the less frequent ASCII letters to the inverted index of users, so that it finds words of one or two letters (decision 21).
 * Writers wait while the index is built.
 */
export class RareLettersInUserSearch extends Migration {
  override up(): void {
    for (const text of replaceSearch(`, ${rareCharactersOf('search')}`)) this.addSql(text);
  }

  override down(): void {
    for (const text of replaceSearch(`, ${charactersOf('search')}`)) this.addSql(text);
  }
}
