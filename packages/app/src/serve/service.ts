import type { DatabaseHealth } from '@chapter/adapters-postgres';
import type { Logger } from 'pino';
import { composeOperator } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { warningsOf } from '../config/warnings.ts';
import { bringUpToDate, openServingDatabase } from '../database/change-schema.ts';
import { type DemoAccount, findDemoAccounts } from '../database/demo-accounts.ts';
import { storeDemoData } from '../database/demo-data.ts';
import type { OpenedDatabase } from '../database/open-database.ts';
import { startApi } from './api.ts';
import type { Listening } from './lifecycle.ts';
import { startOps } from './ops.ts';
import { startPurging } from './purging.ts';

/** A service that runs. */
export interface Service {
  readonly api: Listening;
  /** The demo accounts that can log in with the documented password; none unless the database is the embedded one. */
  readonly accounts: readonly DemoAccount[];
  /** Takes no more requests, lets those that run finish, and closes everything. */
  readonly stop: () => Promise<void>;
}

/** Serves in this process, or in several that this one looks after. They find the database as this one left it. */
const startServing = async (config: Config, database: OpenedDatabase, log: Logger) => {
  if (config.workers === 1) {
    return { ...(await startApi(config, database, log)), areReady: () => true, acceptsWrites: () => true };
  }
  const { startWorkers } = await import('./workers.ts');
  return startWorkers({ ...config, database: { ...config.database, url: database.url } }, log);
};

/**
 * Starts everything that the configuration asks for, in the order in which it can fail.
 *
 * @throws OperatorError with one sentence, and leaves nothing open.
 */
export const startService = async (config: Config, log: Logger): Promise<Service> => {
  const opened: (() => Promise<unknown>)[] = [];
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    for (const close of opened.splice(0).toReversed()) await close();
  };
  try {
    for (const warning of warningsOf(config)) log.warn(warning);
    const database = await openServingDatabase(config);
    opened.push(() => database.close());
    await bringUpToDate(database, config);
    const ports = composeOperator(config, database);
    // Before the API listens: a client that is told of the demo accounts must find them.
    if (config.database.demoData) await storeDemoData(ports);
    opened.push(startPurging(database, log));
    const serving = await startServing(config, database, log);
    const { acceptsWrites, areReady: areWorkersReady, registry } = serving;
    // The health knows of this process's writes, workers tell of theirs.
    const checkDatabase = async (): Promise<DatabaseHealth> => {
      const health = await database.health();
      return { ...health, writes: health.writes && acceptsWrites() };
    };
    // Closed after the API: while requests finish, it goes on saying that no more should be sent.
    opened.push(await startOps(config.ops, { isStopping: () => stopping, checkDatabase, areWorkersReady, registry }));
    opened.push(() => serving.stop());
    const accounts = config.database.demoData ? await findDemoAccounts(ports) : [];
    return { api: serving.at, accounts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
