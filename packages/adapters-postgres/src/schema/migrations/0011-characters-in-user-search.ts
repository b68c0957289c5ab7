import { Migration } from '@mikro-orm/migrations';

/**
 * Does nothing. An unreleased version added characters to the inverted index of users. Migrations 0013 and 0014 replace that
 * index in any state, so users' texts are indexed once instead of twice. The name stays, because databases store it.
 */
export class CharactersInUserSearch extends Migration {
  override up(): void {}

  override down(): void {}
}
