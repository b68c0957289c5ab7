import { logRequestText, makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import type { Database } from '@chapter/adapters-postgres';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { composeService } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { DEMO_PASSWORD, DEMO_USERNAMES } from '../database/demo-data.ts';
import { browserUrl, drain, type Listening, listen } from './lifecycle.ts';
import { makeMetrics } from './metrics.ts';

/** The API of one process. */
export interface Api {
  readonly at: Listening;
  readonly registry: Registry;
  /** Takes no more requests, and lets those that run finish. */
  readonly stop: () => Promise<void>;
}

/** Seconds that requests have to finish in when the service stops; what the whole stop may take is 10. Contract §9. */
const DRAIN_SECONDS = 8;

/** Serves the API over a database that is up to date. @throws OperatorError where the port or the keys cannot be used. */
export const startApi = async (config: Config, database: Database, log: Logger): Promise<Api> => {
  const { useCases, authenticate, stop } = composeService(config, database, log);
  const { registry, http: metrics } = makeMetrics(() => database.poolUse());
  const logRequest = config.log.format === 'text' ? logRequestText(log) : undefined;
  const record = { log, logRequest, metrics };
  // Known once the server listens; until then no request asks.
  let at: Listening = config.http;
  const docs = config.http.docs && {
    publicUrl: () => config.http.publicUrl ?? browserUrl(at),
    demo: config.database.demoData ? { usernames: DEMO_USERNAMES, password: DEMO_PASSWORD } : null,
    persistsLogin: config.http.docsPersistLogin,
  };
  const api = makeHttpApi({ useCases, authenticate, settings: { ...config.http, docs }, ...record });
  const server = makeHttpServer(api, record, { maxConnections: config.http.maxConnections });
  const stopAll = async (): Promise<void> => {
    stop();
    if (server.listening) await drain(server, DRAIN_SECONDS);
  };
  try {
    at = await listen(server, config.http, 'PORT');
    return { at, registry, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
};
