import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { translated } from '../connection/errors.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { closeOrm, makeOrm } from '../connection/orm.ts';
import { makePool } from '../connection/pool.ts';
import { LIFT_TIME_LIMITS } from '../connection/session-settings.ts';
import { entities } from './entities/index.ts';
import { grantTo, missingRights, roleOf } from './grants.ts';
import { LOCK_WAITS, type LockWaits, repeatWhileLocked, waitLimitOf } from './lock-waits.ts';
import { loadMigrations, MIGRATION_TABLE, MIGRATIONS } from './migrations/index.ts';
import { type MigrationStep, nextStepDown, nextStepUp } from './next-step.ts';
import type { Migrations, ReportWait, SchemaStatus } from './schema-status.ts';

/** The key of the advisory lock: "chapter migrations" in ASCII, cut to eight bytes. Release 0.1.0 uses the same key. */
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
 * Runs `work` in a transaction that holds the migration lock, so that only one instance migrates at a time. The lock belongs
 * to the transaction: it works behind transaction poolers and cannot be lost before the transaction ends.
 */
const underLock = <T>(orm: MikroORM, work: (em: EntityManager) => Promise<T>): Promise<T> =>
  orm.em.fork().transactional(async (em) => {
    await em.execute(LIFT_TIME_LIMITS);
    // The migration of another instance may take longer than a limit that a role sets.
    await em.execute('set local lock_timeout = 0');
    await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK_KEY})`);
    return work(em);
  });

type NextStep = (applied: readonly string[]) => MigrationStep | undefined;

/**
 * Runs the next step, if any, in its own transaction. Returns its name. A wait for a lock is short, because all later requests
 * of the table queue up behind it, also reads. If it fails, the step is rolled back and repeated. The transaction keeps the
 * migration lock in between: without it, the next instance would lock the table at once.
 *
 * @throws DomainError `unavailable` if other transactions hold a lock at each attempt.
 */
const runStep = (
  orm: MikroORM,
  nextStep: NextStep,
  waits: LockWaits,
  reportWait: ReportWait,
): Promise<string | undefined> =>
  underLock(orm, async (em) => {
    await em.execute(`set local lock_timeout = ${waits.timeoutMs}`);
    await em.execute('savepoint before_step');
    const step = nextStep(await readApplied((text) => em.execute(text)));
    if (step === undefined) return undefined;
    const { direction, name } = step;
    const attempt = () =>
      orm.migrator[direction]({ migrations: [name], transaction: em.getTransactionContext<object>() });
    const pause = async (): Promise<void> => {
      await em.execute('rollback to savepoint before_step');
      await waits.pause(waits.pauseMs);
    };
    const report = (): void => reportWait(name, waitLimitOf(waits));
    await repeatWhileLocked({ attempts: waits.attempts, pause, reportWait: report }, attempt, name);
    return name;
  });

/** Creates the table of migrations if it is missing. */
const ensureTable = (orm: MikroORM): Promise<void> =>
  underLock(orm, async (em) => {
    const transaction = em.getTransactionContext<object>();
    const storage = orm.migrator.getStorage();
    if (transaction) storage.setMasterMigration(transaction);
    await storage.ensureTable?.();
    storage.unsetMasterMigration();
  });

/** Runs `work` with a short-lived ORM for migrations, whose statements may take longer than those of the service. */
const withMigratingOrm = async <T>(
  options: ConnectionOptions,
  dbName: string,
  work: (orm: MikroORM) => Promise<T>,
): Promise<T> => {
  const [{ Migrator }, migrationsList] = await Promise.all([import('@mikro-orm/migrations'), loadMigrations()]);
  const pool = makePool({ ...options, poolSize: 1, allowsSilence: true });
  const orm = makeOrm(pool, {
    // The name that the server reports. The URL may have a pooler's alias, which the migrator would take for a missing
    // database and create.
    dbName,
    entities,
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
  } finally {
    await closeOrm(orm, pool);
  }
};

/**
 * Runs steps until none is left. Each step has its own transaction, so that its locks are released before the next one
 * builds an index. The loop is bounded, because another process may migrate in the other direction at the same time.
 */
const runSteps = async (
  orm: MikroORM,
  nextStep: NextStep,
  waits: LockWaits,
  reportWait: ReportWait = () => {},
): Promise<readonly string[]> => {
  await ensureTable(orm);
  // The migrator's one-time set-up needs a connection, and the only one is free now: no transaction holds it.
  await orm.migrator.getExecuted();
  const run: string[] = [];
  for (const _ of MIGRATIONS) {
    const name = await runStep(orm, nextStep, waits, reportWait);
    if (name === undefined) break;
    run.push(name);
  }
  return run;
};

/**
 * Makes the migrations of the database that `options` names. `pool` is used to read their status. `waits` says how long they wait
 * for tables that other transactions use.
 */
export const makeMigrations = (options: ConnectionOptions, pool: Pool, waits: LockWaits = LOCK_WAITS): Migrations => {
  const read: ReadNames = async (text) => (await pool.query<{ name: string }>(text)).rows;
  const applied = () => translated(() => readApplied(read));
  const withOrm = <T>(work: (orm: MikroORM) => Promise<T>): Promise<T> =>
    translated(async () => {
      const [{ name } = { name: '' }] = await read('select current_database() as name');
      return withMigratingOrm(options, name, work);
    });
  const change = (nextStep: NextStep, reportWait?: ReportWait) =>
    withOrm((orm) => runSteps(orm, nextStep, waits, reportWait));
  return {
    names: MIGRATIONS,
    status: async () => compare(await applied()),
    up: (reportWait) => change((done) => nextStepUp(done, MIGRATIONS.at(-1) ?? ''), reportWait),
    to: async (name, reportWait) => {
      if (name !== null && !MIGRATIONS.includes(name)) throw new RangeError(`there is no migration ${name}`);
      const goesUp = name !== null && !(await applied()).includes(name);
      return change((done) => (goesUp ? nextStepUp(done, name) : nextStepDown(done, name)), reportWait);
    },
    grantTo: async (url) => {
      if (roleOf(url) === '') throw new RangeError('the database URL names no role');
      return withOrm((orm) => underLock(orm, (em) => grantTo(em, url)));
    },
    missingRights: () => withOrm((orm) => orm.em.fork().transactional(missingRights)),
  };
};
