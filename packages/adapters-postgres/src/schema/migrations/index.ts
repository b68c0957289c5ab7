import type { RunAlone } from './0004-sessions-and-counters.ts';

/**
 * All migrations in order. Each is loaded on demand, because a start needs only the names. A name never changes, because
 * databases store it.
 */
const LOADERS = {
  '0001-users-and-divisions': async () => (await import('./0001-users-and-divisions.ts')).UsersAndDivisions,
  '0002-search-in-the-order': async () => (await import('./0002-search-in-the-order.ts')).SearchInTheOrder,
  '0003-pages-in-an-index': async () => (await import('./0003-pages-in-an-index.ts')).PagesInAnIndex,
  '0004-sessions-and-counters': async () => (await import('./0004-sessions-and-counters.ts')).SessionsAndCounters,
  '0005-indexes-of-sessions-and-changes': async () =>
    (await import('./0005-indexes-of-sessions-and-changes.ts')).IndexesOfSessionsAndChanges,
  '0006-tables-and-next-indexes': async () => (await import('./0006-tables-and-next-indexes.ts')).TablesAndNextIndexes,
  '0007-exchange-indexes': async () => (await import('./0007-exchange-indexes.ts')).ExchangeIndexes,
};

/** The names of all migrations in order. */
export const MIGRATIONS: readonly string[] = Object.keys(LOADERS);

/** The table in which a database stores the names of its migrations. */
export const MIGRATION_TABLE = 'schema_migration';

/** A migration. `prepare` runs before it, in transactions of their own, and may run several times. */
interface LoadedMigration {
  readonly name: string;
  readonly class: Awaited<ReturnType<(typeof LOADERS)[keyof typeof LOADERS]>> & {
    readonly prepare?: (run: RunAlone) => Promise<void>;
  };
}

/** Loads all migrations in order. */
export const loadMigrations = (): Promise<LoadedMigration[]> =>
  Promise.all(Object.entries(LOADERS).map(async ([name, load]) => ({ name, class: await load() })));
