import type { Socket } from 'node:net';
import { type Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { HostPool } from './host-pool.ts';
import { hostsOf } from './hosts.ts';
import { acquireTimeoutOf, type ConnectionOptions, statementTimeoutOf } from './options.ts';

/** Milliseconds that a server may take beyond its statement timeout to report that it has canceled a statement. */
const CANCEL_GRACE_MS = 5000;

/** Milliseconds that a connection stays open unused: after a quiet moment, requests need not wait for new ones. */
const IDLE_MS = 300_000;

/** Milliseconds after which a connection is replaced: its server grows, and its host may have a new address. */
const LIFETIME_MS = 30 * 60_000;

/** Types whose values stay the text that the server sends: JavaScript's `Date` has neither days nor microseconds. */
const TEXT_TYPES = [types.builtins.DATE, types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ, types.builtins.INTERVAL];

/** Returns the socket of a connection. */
export const streamOf = (client: PoolClient): Socket => client.connection.stream as Socket;

/**
 * Ends connections whose server is silent while a caller uses them. The timeout is the socket's: a timer per statement,
 * which the driver would set (`query_timeout`), keeps result rows alive past the next garbage collections.
 */
const endSilentConnections = (pool: Pool, timeout: number): void => {
  if (timeout === 0) return;
  const limit = timeout + Math.min(CANCEL_GRACE_MS, timeout);
  pool.on('connect', (client) => {
    const stream = streamOf(client);
    stream.on('timeout', () => stream.destroy(new Error('Connection terminated: the server is silent')));
  });
  pool.on('acquire', (client) => streamOf(client).setTimeout(limit));
  // An idle connection may be silent.
  pool.on('release', (_, client) => streamOf(client).setTimeout(0));
};

/** Replaces each connection after 80 to 100 % of `lifetime` milliseconds, so that not all are replaced at once. */
const limitLifetimes = (pool: Pool, lifetime: number): void => {
  const chooseNext = (): void => {
    pool.options.maxLifetimeSeconds = (lifetime / 1000) * (0.8 + 0.2 * Math.random());
  };
  chooseNext();
  // The pool has read the value for this connection by then.
  pool.on('connect', chooseNext);
};

/**
 * Returns a pool of checked connections. Statements on one connection are pipelined: do not copy rows on it, and expect
 * each statement to wait for those sent before it. Dates, instants and intervals are text. `connect` throws DomainError
 * `unavailable` when no host can be used.
 */
export const makePool = (options: ConnectionOptions): Pool => {
  const asText = new TypeOverrides();
  for (const type of TEXT_TYPES) asText.setTypeParser(type, String);
  const limits = {
    max: options.poolSize ?? 10,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: acquireTimeoutOf(options),
  };
  const pool = new HostPool(hostsOf(options), limits, { pipeline: true, types: asText });
  // pg requires an 'error' listener; failures surface through the running queries.
  pool.on('error', () => {});
  if (options.allowsSilence !== true) endSilentConnections(pool, statementTimeoutOf(options));
  limitLifetimes(pool, options.maxLifetime ?? LIFETIME_MS);
  return pool;
};
