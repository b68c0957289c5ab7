import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';

/** Time limits for clients. */
export interface TimeLimits {
  /** For the request line and headers. On a new connection, the time starts when it opens. */
  readonly headersMs: number;
  /** For a whole request, including its body. */
  readonly requestMs: number;
  /** Without a byte in either direction during a request or response, for instance because the client stops reading. */
  readonly idleMs: number;
  /** Between a response and the next request. */
  readonly keepAliveMs: number;
  /** How often connections are checked against `headersMs` and `requestMs`. */
  readonly checkIntervalMs: number;
}

/** The limits for all clients of one server. */
export interface ServerLimits {
  readonly times: TimeLimits;
  /** Open connections. The server closes further ones at once and emits `drop`. */
  readonly maxConnections: number;
}

/** Makes an HTTP server that ends connections beyond these limits. It does not listen yet. */
export const makeLimitedServer = (
  listener: RequestListener,
  { times, maxConnections }: ServerLimits,
  options: ServerOptions = {},
): Server => {
  const server = createServer(
    {
      ...options,
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      connectionsCheckingInterval: times.checkIntervalMs,
      keepAliveTimeout: times.keepAliveMs,
    },
    listener,
  );
  // Without `dropMaxConnection`, a full worker would hand a connection back to the primary process, which would offer it
  // again and again while all workers are full.
  return Object.assign(server, { maxConnections, dropMaxConnection: true, timeout: times.idleMs });
};
