import { Migration } from '@mikro-orm/migrations';
import { charactersOf } from './0011-characters-in-user-search.ts';
import { replaceSearch } from './0012-characters-in-division-search.ts';
import { rareCharactersOf } from './0013-rare-letters-in-user-search.ts';

/**
 * Adds the less frequent ASCII letters to the inverted index of divisions. This is a separate migration from 0013, because one
 * transaction that locks both tables could cause a deadlock.
 */
export class RareLettersInDivisionSearch extends Migration {
  override up(): void {
    for (const text of replaceSearch(`, ${rareCharactersOf('name_key')}`)) this.addSql(text);
  }

  override down(): void {
    for (const text of replaceSearch(`, ${charactersOf('name_key')}`)) this.addSql(text);
  }
}
