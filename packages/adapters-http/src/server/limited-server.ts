import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';

/** How long clients may take. */
export interface TimeLimits {
  /** For the request line and headers; on a new connection, from its first moment. */
  readonly headersMs: number;
  /** For a whole request, including its body. */
  readonly requestMs: number;
  /** Without a byte in either direction during a request or its response, for instance because no one reads it. */
  readonly idleMs: number;
  /** Between a response and the next request. */
  readonly keepAliveMs: number;
  /** How often connections are checked against `headersMs` and `requestMs`. */
  readonly checkIntervalMs: number;
}

/** What the clients of one server may use. */
export interface ServerLimits {
  readonly times: TimeLimits;
  /** Open connections. Further ones are accepted and closed at once, which the server reports as `drop`. */
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
