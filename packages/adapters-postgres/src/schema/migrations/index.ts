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
  '0005-indexes-of-tokens-and-moves': async () =>
    (await import('./0005-indexes-of-tokens-and-moves.ts')).IndexesOfTokensAndMoves,
  '0006-links-activity-and-search': async () =>
    (await import('./0006-links-activity-and-search.ts')).LinksActivityAndSearch,
  '0007-exchange-user-search': async () => (await import('./0007-exchange-user-search.ts')).ExchangeUserSearch,
  '0008-exchange-division-search': async () =>
    (await import('./0008-exchange-division-search.ts')).ExchangeDivisionSearch,
  '0009-access-tokens': async () => (await import('./0009-access-tokens.ts')).AccessTokens,
  '0010-changes-of-divisions': async () => (await import('./0010-changes-of-divisions.ts')).ChangesOfDivisions,
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
