import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { translated } from '../connection/errors.ts';
import { openClient } from '../connection/hosts.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { closeOrm, makeOrm } from '../connection/orm.ts';
import { MIGRATION_TABLE, MIGRATIONS } from './migrations/names.ts';

/** How the schema of a database stands to this program: `newer` knows migrations that the program does not. */
export interface SchemaStatus {
  readonly state: 'current' | 'older' | 'newer';
  /** Names in the order in which they were run. */
  readonly applied: readonly string[];
  /** Names in the order in which they will be run. */
  readonly pending: readonly string[];
}

/** Changes of the schema. Every change runs under a lock of the database: several instances at once migrate once. */
export interface Migrations {
  /** All names in their order. */
  readonly names: readonly string[];
  status(): Promise<SchemaStatus>;
  /** Runs what is pending, each in a transaction of its own; the names of what was run. */
  up(): Promise<readonly string[]>;
  /** Goes up or down until `name` is the last one applied; null takes everything down. @throws RangeError for an unknown name. */
  to(name: string | null): Promise<readonly string[]>;
}

/** Any number that nobody else locks: the first bytes of "chapter migrations" in ASCII. */
const LOCK = '7163384721318440809';

const readApplied = async (pool: Pool): Promise<readonly string[]> => {
  const [found] = (
    await pool.query<{ there: boolean }>(`select to_regclass('${MIGRATION_TABLE}') is not null as there`)
  ).rows;
  if (!found?.there) return [];
  const { rows } = await pool.query<{ name: string }>(`select name from "${MIGRATION_TABLE}" order by id`);
  return rows.map(({ name }) => name);
};

const compare = (applied: readonly string[]): SchemaStatus => {
  const pending = MIGRATIONS.filter((name) => !applied.includes(name));
  const isNewer = applied.some((name) => !MIGRATIONS.includes(name));
  return { state: pending.length > 0 ? 'older' : isNewer ? 'newer' : 'current', applied, pending };
};

/** Runs `work` while no other instance migrates. The lock has a connection of its own, and ends with it. */
const underLock = async <T>(options: ConnectionOptions, work: () => Promise<T>): Promise<T> => {
  const client = await openClient({ ...options, statementTimeout: 0 });
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return await work();
  } finally {
    await client.end();
  }
};

/** A short-lived ORM: what the service runs on need not know of migrations, whose statements may take long. */
const withMigratingOrm = async <T>(options: ConnectionOptions, work: (orm: MikroORM) => Promise<T>): Promise<T> => {
  const [{ Migrator }, { migrationsList }] = await Promise.all([
    import('@mikro-orm/migrations'),
    import('./migrations/index.ts'),
  ]);
  const { orm, pool } = makeOrm(
    { ...options, poolSize: 2, statementTimeout: 0 },
    {
      extensions: [Migrator],
      migrations: {
        migrationsList,
        tableName: MIGRATION_TABLE,
        snapshot: false,
        silent: true,
        disableForeignKeys: false,
        // Each with its entry in a transaction of its own: a lock of one is not held while the next makes an index.
        allOrNothing: false,
      },
    },
  );
  try {
    return await work(orm);
  } finally {
    await closeOrm(orm, pool);
  }
};

/** The migrations of a database; see {@link Migrations}. */
export const makeMigrations = (options: ConnectionOptions, pool: Pool): Migrations => {
  const change = (run: (orm: MikroORM, applied: readonly string[]) => Promise<readonly { readonly name: string }[]>) =>
    translated(() =>
      underLock(options, () =>
        withMigratingOrm(options, async (orm) => (await run(orm, await readApplied(pool))).map(({ name }) => name)),
      ),
    );
  return {
    names: MIGRATIONS,
    status: () => translated(async () => compare(await readApplied(pool))),
    up: () => change((orm) => orm.migrator.up()),
    to: (name) =>
      change(async (orm, applied) => {
        if (name === null) return orm.migrator.down({ to: 0 });
        if (!MIGRATIONS.includes(name)) throw new RangeError(`there is no migration ${name}`);
        return applied.includes(name) ? orm.migrator.down({ to: name }) : orm.migrator.up({ to: name });
      }),
  };
};
