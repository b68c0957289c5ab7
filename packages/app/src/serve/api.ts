import { setFlagsFromString } from 'node:v8';
import { logRequestText, makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import type { Database } from '@chapter/adapters-postgres';
import type { Logger } from 'pino';
import { composeService } from '../compose.ts';
import { type Address, browserUrl } from '../config/addresses.ts';
import type { Config } from '../config/config.ts';
import type { DemoAccount } from '../database/demo-accounts.ts';
import { DEMO_PASSWORD } from '../database/demo-data.ts';
import { drain, listen, STOP_LIMITS_MS } from './lifecycle.ts';
import { makeMetrics } from './telemetry.ts';
import type { Tracing } from './tracing.ts';

/**
 * Starts the API of one process on a migrated database. The documentation shows `accounts` with the demo password.
 * `stop` stops accepting requests and waits until the running ones are finished.
 *
 * @throws OperatorError if the port or the keys cannot be used.
 */
export const startApi = async (
  config: Config,
  database: Database,
  accounts: Promise<readonly DemoAccount[]>,
  log: Logger,
  tracing?: Tracing,
) => {
  // V8 shrinks the young generation in pauses, and by default only doubles it. A burst would need many collections.
  setFlagsFromString('--semi-space-growth-factor=8');
  // V8 may allocate some objects in the old generation, where they keep the young objects of requests alive.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // The server's real address is known once it listens. No request reads this before.
  let at: Address = config.http;
  const { useCases, authenticate, requests, queues, stop } = composeService(config, database, log, () => at, tracing);
  const { registry, http: metrics } = makeMetrics(database, queues, tracing?.exemplar);
  const logRequest = config.log.format === 'text' ? logRequestText(log) : undefined;
  const record = { log, logRequest, metrics, traceRequest: tracing?.traceRequest };
  const docs = config.http.docs && {
    publicUrl: () => config.http.publicUrl ?? browserUrl(at),
    demo: async () => {
      const usernames = (await accounts).map(({ username }) => username);
      return usernames.length > 0 ? { usernames, password: DEMO_PASSWORD } : null;
    },
    persistsLogin: config.http.docsPersistLogin,
  };
  const settings = { ...config.http, passwordMinLength: config.passwordMinLength, docs };
  const api = makeHttpApi({ useCases, authenticate, requests, settings, ...record });
  const server = makeHttpServer(api, record, { maxConnections: config.http.maxConnections });
  const stopAll = async (): Promise<void> => {
    stop();
    api.refuseExports();
    if (server.listening) await drain(server, STOP_LIMITS_MS.requests, api.resetExports);
  };
  try {
    at = await listen(server, config.http, 'PORT');
    // The start does not wait for it; a request for an asset does, and reports its failure.
    api.compressAssets().catch(() => {});
    return { at, registry, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
};
