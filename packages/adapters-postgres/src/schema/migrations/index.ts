/**
 * All migrations in order. Each is loaded on demand, because a start needs only the names. A name never changes, because
 * databases store it.
 */
const LOADERS = {
  '0001-users-and-divisions': async () => (await import('./0001-users-and-divisions.ts')).UsersAndDivisions,
  '0002-search-in-the-order': async () => (await import('./0002-search-in-the-order.ts')).SearchInTheOrder,
  '0003-pages-in-an-index': async () => (await import('./0003-pages-in-an-index.ts')).PagesInAnIndex,
  '0004-sibling-refresh-tokens': async () => (await import('./0004-sibling-refresh-tokens.ts')).SiblingRefreshTokens,
  '0005-password-fingerprints': async () => (await import('./0005-password-fingerprints.ts')).PasswordFingerprints,
  '0006-own-sessions': async () => (await import('./0006-own-sessions.ts')).OwnSessions,
  '0007-one-inverted-index': async () => (await import('./0007-one-inverted-index.ts')).OneInvertedIndex,
  '0008-password-links': async () => (await import('./0008-password-links.ts')).PasswordLinks,
  '0009-activity-and-moves': async () => (await import('./0009-activity-and-moves.ts')).ActivityAndMoves,
  '0010-counted-subjects': async () => (await import('./0010-counted-subjects.ts')).CountedSubjects,
  '0011-characters-in-user-search': async () =>
    (await import('./0011-characters-in-user-search.ts')).CharactersInUserSearch,
  '0012-characters-in-division-search': async () =>
    (await import('./0012-characters-in-division-search.ts')).CharactersInDivisionSearch,
  '0013-build-user-search': async () => (await import('./0013-build-user-search.ts')).BuildUserSearch,
  '0014-exchange-user-search': async () => (await import('./0014-exchange-user-search.ts')).ExchangeUserSearch,
  '0015-exchange-division-search': async () =>
    (await import('./0015-exchange-division-search.ts')).ExchangeDivisionSearch,
};

/** The names of all migrations in order. */
export const MIGRATIONS: readonly string[] = Object.keys(LOADERS);

/** The table in which a database stores the names of its migrations. */
export const MIGRATION_TABLE = 'schema_migration';

/** Loads all migrations in order. */
export const loadMigrations = () =>
  Promise.all(Object.entries(LOADERS).map(async ([name, load]) => ({ name, class: await load() })));
