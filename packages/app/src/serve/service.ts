import { setTimeout as sleep } from 'node:timers/promises';
import { makeOpsServer, type OpsPorts } from '@chapter/adapters-http';
import type { Database } from '@chapter/adapters-postgres';
import { type DatabaseHealth, makeAccess } from '@chapter/domain/api';
import type { Logger } from 'pino';
import { composeOperator, keysFileOf } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { warningsOf } from '../config/warnings.ts';
import { bringUpToDate, describeWait, migrateAndOpen } from '../database/change-schema.ts';
import { type DemoAccount, findDemoAccounts } from '../database/demo-accounts.ts';
import { storeDemoData } from '../database/demo-data.ts';
import { type OpenedDatabase, openDatabase, type StartingDatabase } from '../database/open-database.ts';
import { startApi } from './api.ts';
import { drain, listen, STOP_LIMITS_MS } from './lifecycle.ts';
import { makeInstanceMetrics } from './telemetry.ts';
import type { Tracing } from './tracing.ts';

const PURGE_INTERVAL_MS = 10 * 60 * 1000;

/** Deletes expired rows periodically until it is stopped. One line of the log names the tables that failed. */
export const startPurging = (
  { purge }: Pick<Database, 'purge'>,
  log: Logger,
  onPurged: () => void = () => {},
): (() => Promise<void>) => {
  let running = Promise.resolve();
  const purgeOnce = async (): Promise<void> => {
    const { deleted, failures } = await purge();
    log.debug({ deleted }, 'expired rows deleted');
    const tables = Object.keys(failures).join(', ');
    if (tables === '') onPurged();
    else log.warn({ failures }, `cannot delete expired rows of ${tables}; the next purge tries again`);
  };
  const timer = setInterval(() => {
    running = purgeOnce();
  }, PURGE_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
};

/** Serves the internal port if there is one. @throws OperatorError if the service cannot listen on it. */
export const startOps = async (at: Config['ops'], ports: OpsPorts): Promise<() => Promise<void>> => {
  if (!at) return () => Promise.resolve();
  const server = makeOpsServer(ports);
  await listen(server, at, 'OPS_PORT', ' or to "off"');
  return () => drain(server, STOP_LIMITS_MS.internalPort);
};

/** Starts the API in this process or in worker processes. The database is migrated, so workers do not migrate. */
const startServing = async (
  config: Config,
  database: OpenedDatabase,
  accounts: Promise<readonly DemoAccount[]>,
  log: Logger,
  tracing: Tracing | undefined,
  onReplaced: () => void,
) => {
  if (config.workers === 1) {
    return {
      ...(await startApi(config, database, accounts, log, tracing)),
      areReady: () => true,
      acceptsWrites: () => true,
    };
  }
  const { startWorkers } = await import('./workers.ts');
  return startWorkers(
    { ...config, database: { ...config.database, url: database.url } },
    await accounts,
    log,
    onReplaced,
  );
};

/**
 * Opens the database and starts the API, the internal port and the periodic purge. If one of them fails, closes what it
 * has opened before. `starting` is the embedded database, if it starts already.
 *
 * @throws OperatorError with one sentence.
 */
export const startService = async (config: Config, log: Logger, tracing?: Tracing, starting?: StartingDatabase) => {
  const opened: (() => Promise<unknown>)[] = [];
  let stopping = false;
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).toReversed()) await close();
  };
  try {
    for (const warning of warningsOf(config)) log.warn(warning);
    const reportWait = describeWait((sentence) => log.warn(sentence));
    const database = await migrateAndOpen(config, reportWait, (own) => openDatabase(own, undefined, tracing, starting));
    opened.push(() => database.close());
    await bringUpToDate(database, config, reportWait);
    const ports = composeOperator(config, database);
    // Before the API listens, so that the demo accounts exist when clients read about them.
    if (config.database.demoData) await storeDemoData(ports);
    // The port opens meanwhile, because this hashes the demo password. The end of the start reports a failure.
    const accounts = config.database.demoData ? findDemoAccounts(ports) : Promise.resolve([]);
    accounts.catch(() => {});
    const ownMetrics = makeInstanceMetrics(database, keysFileOf(config));
    opened.push(startPurging(database, log, ownMetrics.onPurged));
    const serving = await startServing(config, database, accounts, log, tracing, ownMetrics.onReplaced);
    opened.push(() => serving.stop());
    const { acceptsWrites, areReady: areWorkersReady, registry } = serving;
    // `health` covers the writes of this process. Workers report theirs.
    const checkDatabase = async (): Promise<DatabaseHealth> => {
      const health = await database.health();
      return { ...health, writes: health.writes && acceptsWrites() };
    };
    const stopOps = await startOps(config.ops, {
      isStopping: () => stopping,
      checkDatabase,
      refusedHosts: database.refusedHosts,
      areWorkersReady,
      registry: ownMetrics.addTo(registry),
      access: makeAccess(database),
      log,
    });
    // Closed after the API, so that it reports not ready while running requests finish.
    opened.splice(-1, 0, stopOps);
    /** Reports not ready for the shutdown delay, stops accepting requests, finishes the running ones, closes all. */
    const stop = async (): Promise<void> => {
      stopping = true;
      await sleep(config.shutdownDelay * 1000);
      await closeAll();
    };
    return { api: serving.at, accounts: await accounts, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
};

/** A running service, with the demo accounts that can log in, which only the embedded database has. */
export type Service = Awaited<ReturnType<typeof startService>>;
