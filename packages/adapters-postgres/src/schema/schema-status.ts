import { MIGRATION_TABLE, MIGRATIONS } from './migrations/index.ts';

/** Compares the schema of a database with this program. A `newer` schema has migrations that the program lacks. */
export interface SchemaStatus {
  readonly state: 'current' | 'older' | 'newer';
  /** Names in the order in which they were applied. */
  readonly applied: readonly string[];
  /** Names in the order in which they will be applied. */
  readonly pending: readonly string[];
}

/** The outcome of granting the serving role its rights. */
export interface Grants {
  readonly role: string;
  /** The statements that were run. */
  readonly granted: readonly string[];
  /** The statements that are still needed, which only an administrator may run. */
  readonly refused: readonly string[];
}

/**
 * Receives the name of a migration that waits for other transactions, once per migration, and how long it waits at most, in
 * milliseconds.
 */
export type ReportWait = (migration: string, limitMs: number) => void;

/** Reads names by a statement. */
export type ReadNames = (text: string) => Promise<readonly { readonly name: string }[]>;

/** Reads the names of the applied migrations, in the order in which they were applied. */
export const readApplied = async (read: ReadNames): Promise<readonly string[]> => {
  const tables = await read(`select relname as name from pg_class where oid = to_regclass('${MIGRATION_TABLE}')`);
  if (tables.length === 0) return [];
  const rows = await read(`select name from "${MIGRATION_TABLE}" order by id`);
  return rows.map(({ name }) => name);
};

/** Compares the applied migrations with those of this program. */
export const compareMigrations = (applied: readonly string[]): SchemaStatus => {
  const pending = MIGRATIONS.filter((name) => !applied.includes(name));
  const isNewer = applied.some((name) => !MIGRATIONS.includes(name));
  return { state: pending.length > 0 ? 'older' : isNewer ? 'newer' : 'current', applied, pending };
};
