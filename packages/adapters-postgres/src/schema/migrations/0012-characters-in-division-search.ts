import { Migration } from '@mikro-orm/migrations';

/**
 * Does nothing. An unreleased version added characters to the inverted index of divisions. Migration 0015 replaces that index in
 * any state. The name stays, because databases store it.
 */
export class CharactersInDivisionSearch extends Migration {
  override up(): void {}

  override down(): void {}
}
