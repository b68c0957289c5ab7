import { Migration } from '@mikro-orm/migrations';

/** Links refresh tokens to their siblings. Release 0.1.0 leaves both columns null. */
export class SiblingRefreshTokens extends Migration {
  override up(): void {
    this.addSql('alter table "refresh_token" add column "parent" text null, add column "spent_by" text null');
    this.addSql('create index "refresh_token_parent" on "refresh_token" ("parent")');
  }

  override down(): void {
    this.addSql('alter table "refresh_token" drop column "parent", drop column "spent_by"');
  }
}
