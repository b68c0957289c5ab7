import type { Socket } from 'node:net';
import { Pool as PgPool, type Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { type ConnectionOptions, driverOptions, statementTimeoutOf } from './options.ts';

/** Milliseconds that a server may take beyond its statement timeout to report that it has canceled a statement. */
const GRACE_MS = 5000;

/** Types whose values stay the text that the server sends: JavaScript's `Date` has neither days nor microseconds. */
const TEXT_TYPES = [types.builtins.DATE, types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ, types.builtins.INTERVAL];

/** Returns the socket of a connection. */
export const streamOf = (client: PoolClient): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;

/** Ignores errors of idle connections: pg requires an 'error' listener; failures surface through the running queries. */
const ignoreIdleErrors = (pool: Pool): void => {
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
};

/**
 * Ends connections whose server is silent while a caller uses them. The timeout is the socket's: a timer per statement,
 * which the driver would set (`query_timeout`), keeps result rows alive past the next garbage collections.
 */
const endSilentConnections = (pool: Pool, options: ConnectionOptions): void => {
  const timeout = statementTimeoutOf(options);
  if (timeout === 0) return;
  const limit = timeout + Math.min(GRACE_MS, timeout);
  pool.on('connect', (client) => {
    const stream = streamOf(client);
    stream.on('timeout', () => stream.destroy(new Error('Connection terminated: the server is silent')));
  });
  pool.on('acquire', (client) => streamOf(client).setTimeout(limit));
  // An idle connection may be silent.
  pool.on('release', (_, client) => streamOf(client).setTimeout(0));
};

/**
 * Returns a pool of connections. Statements on one connection are pipelined: do not copy rows on it, and expect each
 * statement to wait for those sent before it. Dates, instants and intervals are text.
 */
export const makePool = (options: ConnectionOptions): Pool => {
  const asText = new TypeOverrides();
  for (const type of TEXT_TYPES) asText.setTypeParser(type, String);
  const pool = new PgPool({ ...driverOptions(options), pipeline: true, types: asText });
  ignoreIdleErrors(pool);
  endSilentConnections(pool, options);
  return pool;
};
