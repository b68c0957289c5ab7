import { Migration } from '@mikro-orm/migrations';
import { charactersOf, replaceIndex } from './0011-characters-in-user-search.ts';

/** Replaces the inverted index of divisions by one with further `columns`. */
export const replaceSearch = (columns: string): readonly string[] =>
  replaceIndex('division', 'division_search', `("name_key" gin_trgm_ops${columns})`);

/** Adds the characters that may be missing from trigrams to the inverted index of divisions (see migration 0011). */
export class CharactersInDivisionSearch extends Migration {
  override up(): void {
    for (const text of replaceSearch(`, ${charactersOf('name_key')}`)) this.addSql(text);
  }

  override down(): void {
    for (const text of replaceSearch('')) this.addSql(text);
  }
}
