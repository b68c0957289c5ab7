import { UsersAndDivisions } from './0001-users-and-divisions.ts';
import { SearchInTheOrder } from './0002-search-in-the-order.ts';
import { PagesInAnIndex } from './0003-pages-in-an-index.ts';
import { SiblingRefreshTokens } from './0004-sibling-refresh-tokens.ts';
import { PasswordFingerprints } from './0005-password-fingerprints.ts';
import { OwnSessions } from './0006-own-sessions.ts';

/** All migrations in their order. A name never changes: it is what a database remembers. */
export const migrationsList = [
  { name: '0001-users-and-divisions', class: UsersAndDivisions },
  { name: '0002-search-in-the-order', class: SearchInTheOrder },
  { name: '0003-pages-in-an-index', class: PagesInAnIndex },
  { name: '0004-sibling-refresh-tokens', class: SiblingRefreshTokens },
  { name: '0005-password-fingerprints', class: PasswordFingerprints },
  { name: '0006-own-sessions', class: OwnSessions },
];
