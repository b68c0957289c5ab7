import type { Server } from 'node:http';
import { makeLimitedServer, type ServerLimits } from '../server/limited-server.ts';
import { makeOpsApi, type OpsPorts } from './ops-api.ts';

/**
 * Few connections and short timeouts, so that no client can block the internal port. `MAX_CONNECTIONS` does not include these
 * connections. Collecting the metrics of several workers may take 5 s.
 */
const OPS_LIMITS: ServerLimits = {
  times: { headersMs: 5000, requestMs: 5000, idleMs: 10_000, keepAliveMs: 5000, checkIntervalMs: 1000 },
  maxConnections: 16,
};

/** Makes the server of the internal port. It does not listen yet. */
export const makeOpsServer = (ports: OpsPorts, limits: ServerLimits = OPS_LIMITS): Server =>
  makeLimitedServer(makeOpsApi(ports), limits);
