/** The names of all migrations in their order, apart from them so that a start need not load what makes tables. */
export const MIGRATIONS: readonly string[] = [
  '0001-users-and-divisions',
  '0002-search-in-the-order',
  '0003-pages-in-an-index',
  '0004-sibling-refresh-tokens',
  '0005-password-fingerprints',
  '0006-own-sessions',
];

/** The table in which a database remembers its migrations. */
export const MIGRATION_TABLE = 'schema_migration';
