import type { Socket } from 'node:net';
import { Pool as PgPool, type Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { type ConnectionOptions, driverOptions, statementTimeoutOf } from './options.ts';

/** Milliseconds that a server may take longer than its statement timeout to say that it has given up. */
const GRACE = 5000;

/** Ignores errors of idle connections: pg requires an 'error' listener; failures surface through the running queries. */
export const hearEnds = (pool: Pool): void => {
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
};

/** The socket of a connection. */
export const streamOf = (client: PoolClient): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;

/**
 * Ends connections whose server has gone without a word. It is the sockets that watch: a timer per statement, which the
 * driver would set (`query_timeout`), keeps what it has read alive past the next collections of garbage.
 */
export const endSilentConnections = (pool: Pool, options: ConnectionOptions): void => {
  const timeout = statementTimeoutOf(options);
  if (timeout === 0) return;
  const patience = timeout + Math.min(GRACE, timeout);
  pool.on('connect', (client) => {
    const stream = streamOf(client);
    stream.on('timeout', () => stream.destroy(new Error('Connection terminated: the server is silent')));
  });
  // Nobody expects a word on a connection that nobody uses.
  pool.on('acquire', (client) => streamOf(client).setTimeout(patience));
  pool.on('release', (_, client) => streamOf(client).setTimeout(0));
};

/** A pool for reads alone, on a replica. Its rows come in the form in which the ORM's pool gives them. */
export const makeReadPool = (options: ConnectionOptions): Pool => {
  const asText = new TypeOverrides();
  for (const type of [types.builtins.DATE, types.builtins.TIMESTAMPTZ]) asText.setTypeParser(type, String);
  const pool = new PgPool({ ...driverOptions(options), pipeline: true, types: asText });
  hearEnds(pool);
  endSilentConnections(pool, options);
  return pool;
};
