import { createServer, type RequestListener, type Server } from 'node:http';
import type { RequestRecord } from './edge.ts';
import { MAX_HEADER_BYTES, makeUnreadable } from './unreadable.ts';

/** Milliseconds that clients have for their part of a request. */
export interface Patience {
  readonly headers: number;
  readonly request: number;
  /** How often somebody looks who has taken longer. */
  readonly interval: number;
}

const PATIENCE: Patience = { headers: 15_000, request: 60_000, interval: 5000 };

/** A server with the limits that the API wants. It does not listen yet. */
export const makeHttpServer = (
  listener: RequestListener,
  record: RequestRecord,
  patience: Patience = PATIENCE,
): Server => {
  const { onClientError, onConnect } = makeUnreadable(record);
  return (
    createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        // The API refuses a missing or second Host header itself, by a problem.
        requireHostHeader: false,
        headersTimeout: patience.headers,
        requestTimeout: patience.request,
        connectionsCheckingInterval: patience.interval,
        // Longer than what load balancers keep idle connections for (60 s), so that they close first.
        keepAliveTimeout: 65_000,
      },
      listener,
    )
      .on('clientError', onClientError)
      // An expectation that nobody knows is passed over; the request is answered as without it.
      .on('checkExpectation', listener)
      .on('connect', onConnect)
  );
};
