import type { RequestListener, Server } from 'node:http';
import { makeDropListener } from './dropped-connections.ts';
import { makeLimitedServer, type TimeLimits } from './limited-server.ts';
import type { RequestTelemetry } from './request-telemetry.ts';
import { MAX_HEADER_BYTES, makeParseErrorHandlers } from './unreadable.ts';

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
  const limits = { times: { ...TIME_LIMITS, ...times }, maxConnections };
  return (
    makeLimitedServer(listener, limits, {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The API rejects a missing or second Host header itself, because Node would not send a problem.
      requireHostHeader: false,
    })
      .on('clientError', onClientError)
      // Ignores an unknown `Expect` header. By default, Node responds with 417.
      .on('checkExpectation', listener)
      .on('connect', onConnect)
      .on('drop', makeDropListener(telemetry, maxConnections))
  );
};
