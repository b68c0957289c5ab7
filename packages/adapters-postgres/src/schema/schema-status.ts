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

/** Runs a query for names. */
export type ReadNames = (text: string) => Promise<readonly { readonly name: string }[]>;

/** Returns the names of the applied migrations in order. */
export const readApplied = async (read: ReadNames): Promise<readonly string[]> => {
  const tables = await read(`select relname as name from pg_class where oid = to_regclass('${MIGRATION_TABLE}')`);
  if (tables.length === 0) return [];
  const rows = await read(`select name from "${MIGRATION_TABLE}" order by id`);
  return rows.map(({ name }) => name);
};

/** Returns how the applied migrations compare with those of this program. */
export const statusOf = (applied: readonly string[]): SchemaStatus => {
  const pending = MIGRATIONS.filter((name) => !applied.includes(name));
  const isNewer = applied.some((name) => !MIGRATIONS.includes(name));
  return { state: pending.length > 0 ? 'older' : isNewer ? 'newer' : 'current', applied, pending };
};

/** One migration to apply or to revert. */
interface MigrationStep {
  readonly direction: 'up' | 'down';
  readonly name: string;
}

/**
 * Returns the next step up towards the migration `last`, given the applied names; undefined if there is none. Skipped
 * migrations are applied first.
 */
export const nextStepUp = (applied: readonly string[], last: string): MigrationStep | undefined => {
  const name = MIGRATIONS.slice(0, MIGRATIONS.indexOf(last) + 1).find((one) => !applied.includes(one));
  return name === undefined ? undefined : { direction: 'up', name };
};

/**
 * Returns the next step down towards the migration `last`, or towards an empty database for null; undefined if there is
 * none. Leaves migrations of a newer program alone, because this program cannot revert them.
 */
export const nextStepDown = (applied: readonly string[], last: string | null): MigrationStep | undefined => {
  const name = applied.findLast((one) => MIGRATIONS.includes(one));
  return name === undefined || name === last ? undefined : { direction: 'down', name };
};

/** Chooses the next step, given the applied names. */
export type NextStep = (applied: readonly string[]) => MigrationStep | undefined;
