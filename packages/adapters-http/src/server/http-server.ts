import type { RequestListener, Server } from 'node:http';
import { makeLimitedServer, type TimeLimits } from './limited-server.ts';
import type { RequestTelemetry } from './request-telemetry.ts';
import { makePipeliningListeners } from './serve.ts';
import { MAX_HEADER_BYTES, makeParseErrorHandlers } from './unreadable.ts';

/** The minimum time between two log lines, so that a flood of connections does not flood the log. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Makes the listener that counts connections dropped at the limit. It logs the first at once. Afterwards it logs once a
 * minute how many were dropped, until a minute passes without one.
 */
export const makeDropListener = ({ log, metrics }: RequestTelemetry, maxConnections: number): (() => void) => {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn({ maxConnections, dropped }, 'connections dropped: MAX_CONNECTIONS reached');
    dropped = 0;
    timer = setTimeout(write, LOG_INTERVAL_MS).unref();
  };
  return () => {
    metrics?.dropped();
    dropped += 1;
    if (timer === undefined) write();
  };
};

const TIME_LIMITS: TimeLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 30_000,
  // Longer than load balancers keep idle connections (60 s), so that they close first.
  keepAliveMs: 65_000,
  checkIntervalMs: 1000,
};

/** Options of a server of the API. */
export interface HttpServerOptions {
  readonly times?: Partial<TimeLimits>;
  /** How long a refused connection stays open so that the client can read the response. */
  readonly lingerMs?: number;
  readonly maxConnections?: number;
}

/** Makes a server with the limits of the API. It does not listen yet. */
export const makeHttpServer = (
  listener: RequestListener,
  telemetry: RequestTelemetry,
  { times, lingerMs, maxConnections = Number.POSITIVE_INFINITY }: HttpServerOptions = {},
): Server => {
  const { onClientError, onConnect } = makeParseErrorHandlers(telemetry, lingerMs);
  const { onConnection, onRequest } = makePipeliningListeners(listener);
  const limits = { times: { ...TIME_LIMITS, ...times }, maxConnections };
  return (
    makeLimitedServer(onRequest, limits, {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The API rejects a missing or second Host header itself, because Node would not send a problem.
      requireHostHeader: false,
    })
      .on('clientError', onClientError)
      .on('connection', onConnection)
      // Ignores an unknown `Expect` header. By default, Node responds with 417.
      .on('checkExpectation', onRequest)
      .on('connect', onConnect)
      .on('drop', makeDropListener(telemetry, maxConnections))
  );
};
