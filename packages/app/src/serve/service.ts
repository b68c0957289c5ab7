import { makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import type { Logger } from 'pino';
import { bringUpToDate } from '../bring-up-to-date.ts';
import { composeService } from '../compose.ts';
import type { Config } from '../config.ts';
import { type DemoAccount, putInDemoData } from '../demo-data.ts';
import { openDatabase } from '../open-database.ts';
import { drain, type Listening, listen } from './lifecycle.ts';

/** A service that runs. */
export interface Service {
  readonly api: Listening;
  /** The accounts of demo data that this start put in. */
  readonly accounts: readonly DemoAccount[];
  /** Takes no more requests, lets those that run finish, and closes everything. */
  readonly stop: () => Promise<void>;
}

/** Seconds that requests have to finish in when the service stops; what the whole stop may take is 10. Contract, section 9. */
const DRAIN = 8;

/**
 * Starts everything that the configuration asks for, in the order in which it can fail.
 *
 * @throws OperatorError with one sentence, and leaves nothing open.
 */
export const startService = async (config: Config, log: Logger): Promise<Service> => {
  const opened: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).toReversed()) await close();
  };
  try {
    const database = await openDatabase(config);
    opened.push(() => database.close());
    await bringUpToDate(database, config.database.migrateOnStart);
    const {
      ports,
      useCases,
      authenticate,
      stop: stopPorts,
    } = composeService(config, database, (sentence) => log.warn(sentence));
    opened.push(async () => stopPorts());
    const accounts = config.database.demoData ? await putInDemoData(ports) : [];
    const server = makeHttpServer(makeHttpApi({ useCases, authenticate, settings: config.http, log }));
    const api = await listen(server, config.http, 'PORT');
    opened.push(() => drain(server, DRAIN));
    return { api, accounts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
