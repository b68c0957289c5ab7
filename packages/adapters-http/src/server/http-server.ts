import type { RequestListener, Server } from 'node:http';
import { makeDropListener } from './dropped-connections.ts';
import { makeLimitedServer, type TimeLimits } from './limited-server.ts';
import type { RequestRecord } from './request-record.ts';
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
  record: RequestRecord,
  { times, lingerMs, maxConnections = Number.POSITIVE_INFINITY }: HttpServerOptions = {},
): Server => {
  const { onClientError, onConnect } = makeParseErrorHandlers(record, lingerMs);
  const limits = { times: { ...TIME_LIMITS, ...times }, maxConnections };
  return (
    makeLimitedServer(listener, limits, {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The API itself rejects a missing or second Host header, with a problem.
      requireHostHeader: false,
    })
      .on('clientError', onClientError)
      // Serves requests with unknown expectations like all others.
      .on('checkExpectation', listener)
      .on('connect', onConnect)
      .on('drop', makeDropListener(record, maxConnections))
  );
};
