import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { explainFailure, openClient } from '../connection/checked-client.ts';
import { translated } from '../connection/errors.ts';
import { type ConnectionOptions, LIFT_TIME_LIMITS, WAIT_FOR_LOCKS } from '../connection/options.ts';
import { IS_FOREIGN, IS_NUMBERED_HERE, NUMBER_ENTRIES } from './entry-numbers.ts';
import { grantTo, missingRights, roleFaults, roleOf, storeSettings } from './grants.ts';
import { LOCK_WAITS, type LockWaits, repeatWhileLocked, waitLimitOf } from './lock-waits.ts';
import { loadMigrations, MIGRATION_TABLE, MIGRATIONS } from './migrations/index.ts';
import type { Migrations, ReportWait, SchemaStatus } from './schema-status.ts';
import { checkServer } from './server-check.ts';

interface MigrationStep {
  readonly direction: 'up' | 'down';
  readonly name: string;
}

/** Returns the next step up towards the migration `last`; undefined if all are applied. Skipped ones come first. */
export const nextStepUp = (applied: readonly string[], last: string): MigrationStep | undefined => {
  const name = MIGRATIONS.slice(0, MIGRATIONS.indexOf(last) + 1).find((one) => !applied.includes(one));
  return name === undefined ? undefined : { direction: 'up', name };
};

/**
 * Returns the next step down towards the migration `last`, or towards an empty database for null; undefined if there is
 * none. @throws Error if a newer program has applied migrations, because this program cannot revert them.
 */
export const nextStepDown = (applied: readonly string[], last: string | null): MigrationStep | undefined => {
  const newer = applied.filter((one) => !MIGRATIONS.includes(one)).join(', ');
  if (newer) throw new Error(`the migration was refused: only the newer version that applied ${newer} can undo it`);
  const name = applied.at(-1);
  return name === undefined || name === last ? undefined : { direction: 'down', name };
};

/** The key of the advisory lock; release 0.1.0 uses the same. */
const MIGRATION_LOCK_KEY = '7163384721318440809';

type ReadNames = (text: string) => Promise<readonly { readonly name: string }[]>;

const readApplied = async (read: ReadNames): Promise<readonly string[]> => {
  const tables = await read(`select relname as name from pg_class where oid = to_regclass('${MIGRATION_TABLE}')`);
  if (tables.length === 0) return [];
  const rows = await read(`select name from "${MIGRATION_TABLE}" order by id`);
  return rows.map(({ name }) => name);
};

const compare = (applied: readonly string[]): SchemaStatus => {
  const pending = MIGRATIONS.filter((name) => !applied.includes(name));
  const isNewer = applied.some((name) => !MIGRATIONS.includes(name));
  return { state: pending.length > 0 ? 'older' : isNewer ? 'newer' : 'current', applied, pending };
};

/**
 * Runs `work` in a transaction that holds the migration lock, so that only one instance migrates at a time. The lock
 * belongs to the transaction: it works behind transaction poolers and cannot be lost before the transaction ends.
 */
const underLock = <T>(orm: MikroORM, work: (em: EntityManager) => Promise<T>): Promise<T> =>
  orm.em.fork().transactional(async (em) => {
    await em.execute(LIFT_TIME_LIMITS);
    await em.execute(WAIT_FOR_LOCKS);
    await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK_KEY})`);
    return work(em);
  });

/** A part of a migration that is repeated while other transactions use its tables. */
interface Step {
  readonly name: string;
  readonly attempt: () => Promise<unknown>;
}

type FindStep = (em: EntityManager) => Promise<Step | undefined>;

/**
 * Runs a step, if any, in its own transaction. Returns its name. A wait for a lock is short, because all later requests
 * of the table queue up behind it, also reads. If it fails, the step is rolled back and repeated. The transaction keeps
 * the migration lock in between: without it, the next instance would lock the table at once.
 *
 * @throws DomainError `unavailable` if other transactions hold a lock at each attempt.
 */
const runStep = (orm: MikroORM, findStep: FindStep, waits: LockWaits, reportWait?: ReportWait) =>
  underLock(orm, async (em) => {
    await em.execute(`set local lock_timeout = ${waits.timeoutMs}`);
    await em.execute('savepoint before_step');
    const step = await findStep(em);
    if (step === undefined) return undefined;
    const { attempt, name } = step;
    const pause = async (): Promise<void> => {
      await em.execute('rollback to savepoint before_step');
      await waits.pause(waits.pauseMs);
    };
    await repeatWhileLocked(attempt, name, waits.attempts, pause, () => reportWait?.(name, waitLimitOf(waits)));
    return name;
  });

type NextStep = (applied: readonly string[]) => MigrationStep | undefined;

const findMigration =
  (orm: MikroORM, nextStep: NextStep): FindStep =>
  async (em) => {
    const step = nextStep(await readApplied((text) => em.execute(text)));
    if (step === undefined) return undefined;
    const { direction, name } = step;
    const transaction = em.getTransactionContext<object>();
    return { name, attempt: () => orm.migrator[direction]({ migrations: [name], transaction }) };
  };

/** Runs what a migration does before its step, in batches. It may run again: for another instance, after a failure. */
const prepareStep = async (orm: MikroORM, nextStep: NextStep): Promise<void> => {
  const step = nextStep(await readApplied((text) => orm.em.fork().execute(text)));
  if (step?.direction !== 'up') return;
  const migration = (await loadMigrations()).find(({ name }) => name === step.name);
  await migration?.class.prepare?.((text) => underLock(orm, (em) => em.execute(text)));
};

/**
 * Runs `work` with an ORM for migrations. All its statements run on one connection, also those that the migrator sends
 * outside of transactions. They may take longer than those of the service.
 */
const withOrm = async <T>(options: ConnectionOptions, dbName: string, work: (orm: MikroORM) => Promise<T>) => {
  // Loaded on demand, because a start with a current schema needs none of them.
  const [postgresql, { Migrator }, { entities }, migrationsList] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('@mikro-orm/migrations'),
    import('./entities/index.ts'),
    loadMigrations(),
  ]);
  const client = await openClient(options);
  const connection = Object.assign(client, { release: () => {} });
  const orm = new postgresql.MikroORM({
    driverOptions: new PostgresDialect({
      pool: { options: {}, connect: async () => connection, end: async () => {} },
    }),
    // The name that the server reports. The URL may have a pooler's alias, which the migrator would take for a missing
    // database and create.
    dbName,
    // Otherwise the migrator would look for its table in the schema `public` once more, and create it again.
    ensureDatabase: false,
    entities,
    // The ORM's messages repeat statements. Failures are thrown as errors.
    logger: () => {},
    extensions: [Migrator],
    migrations: {
      migrationsList,
      tableName: MIGRATION_TABLE,
      snapshot: false,
      silent: true,
      disableForeignKeys: false,
    },
  });
  try {
    return await work(orm);
  } catch (error) {
    throw explainFailure(client, error);
  } finally {
    await client.end();
  }
};

/**
 * Runs steps until none is left. Each step has its own transaction, so that its locks are released before the next one
 * builds an index. The loop is bounded, because another process may migrate in the other direction at the same time.
 */
const runSteps = async (orm: MikroORM, nextStep: NextStep, waits: LockWaits, reportWait?: ReportWait) => {
  await checkServer(orm.em.fork());
  await underLock(orm, async () => orm.migrator.getStorage().ensureTable?.());
  const run: string[] = [];
  for (const _ of MIGRATIONS) {
    await prepareStep(orm, nextStep);
    const name = await runStep(orm, findMigration(orm, nextStep), waits, reportWait);
    if (name === undefined) break;
    run.push(name);
  }
  return run;
};

/** Finds the step that numbers the audit entries again if their transaction ids are those of another cluster. */
const findNumbering: FindStep = async (em) => {
  // Another run may have removed the column.
  if (compare(await readApplied((text) => em.execute(text))).state === 'older') return undefined;
  const attempt = async (): Promise<void> => {
    const isHere = `${IS_NUMBERED_HERE} and not exists (select from audit_entry where ${IS_FOREIGN})`;
    const [state] = await em.execute<readonly { readonly isHere: boolean }[]>(`select ${isHere} as "isHere"`);
    if (state?.isHere) return;
    for (const text of NUMBER_ENTRIES) await em.execute(text);
  };
  return { name: 'renumber-audit-entries', attempt };
};

/**
 * Makes the migrations of the database that `options` names. `pool` is used to read their status. `waits` says how long
 * they wait for tables that other transactions use.
 */
export const makeMigrations = (options: ConnectionOptions, pool: Pool, waits: LockWaits = LOCK_WAITS): Migrations => {
  const read: ReadNames = async (text) => (await pool.query<{ name: string }>(text)).rows;
  const applied = () => translated(() => readApplied(read));
  const migrate = <T>(work: (orm: MikroORM) => Promise<T>): Promise<T> =>
    translated(async () => {
      const [{ name } = { name: '' }] = await read('select current_database() as name');
      return withOrm(options, name, work);
    });
  return {
    names: MIGRATIONS,
    status: async () => compare(await applied()),
    up: (reportWait) =>
      migrate(async (orm) => {
        const run = await runSteps(orm, (done) => nextStepUp(done, MIGRATIONS.at(-1) ?? ''), waits, reportWait);
        await runStep(orm, findNumbering, waits, reportWait);
        return run;
      }),
    to: async (name, reportWait) => {
      if (name !== null && !MIGRATIONS.includes(name)) throw new RangeError(`there is no migration ${name}`);
      const goesUp = name !== null && !(await applied()).includes(name);
      const nextStep: NextStep = (done) => (goesUp ? nextStepUp(done, name) : nextStepDown(done, name));
      return migrate((orm) => runSteps(orm, nextStep, waits, reportWait));
    },
    grantTo: async (url) => {
      if (roleOf(url) === '') throw new RangeError('the database URL names no role');
      return migrate((orm) => underLock(orm, (em) => grantTo(em, url)));
    },
    storeSettings: () => translated(() => storeSettings(pool, options)),
    roleFaults: () => migrate((orm) => orm.em.fork().transactional(roleFaults)),
    missingRights: () => migrate((orm) => orm.em.fork().transactional(missingRights)),
  };
};
