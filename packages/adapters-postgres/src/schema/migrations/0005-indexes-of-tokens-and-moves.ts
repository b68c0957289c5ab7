import { Migration } from '@mikro-orm/migrations';

/**
 * Builds the indexes by which a session is found for a consumed token, a token by the one that it was exchanged for, and a move of
 * a user by the division that the user left. Logins, refreshes and audited changes wait for the builds, reads do not. All locks
 * are taken before the builds, in the order in which most requests take them, so that a deadlock costs no build.
 */
export class IndexesOfTokensAndMoves extends Migration {
  override up(): void {
    this.addSql('lock table "audit_entry", "session", "refresh_token" in share mode');
    this.addSql('create unique index "session_family" on "session" ("family")');
    this.addSql('create index "refresh_token_parent" on "refresh_token" ("parent")');
    this.addSql(`create index "audit_entry_left_division" on "audit_entry"
      ((changes -> 'division' -> 'old' ->> 'id'), "at") where action = 'moveUser'`);
  }

  override down(): void {
    this.addSql('lock table "audit_entry", "session", "refresh_token"');
    for (const index of ['session_family', 'refresh_token_parent', 'audit_entry_left_division']) {
      this.addSql(`drop index "${index}"`);
    }
  }
}
