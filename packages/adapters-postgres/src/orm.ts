import type { Socket } from 'node:net';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Pool as PgPool, type Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { entities } from './entities/index.ts';

/** How a database is reached. */
export interface ConnectionOptions {
  /** `postgresql://user:password@host:port/database`, with the parameters that the package pg knows. */
  readonly url: string;
  /** How many connections at most; 10 where it is not said. */
  readonly poolSize?: number;
  /** Milliseconds after which a wait for a free connection ends with `unavailable`; 3,000 where it is not said. */
  readonly acquireTimeout?: number;
  /** Milliseconds after which the server gives a statement up, 0 for never; else what the URL says, or 15,000. */
  readonly statementTimeout?: number;
}

const STATEMENT_TIMEOUT = 15_000;

/**
 * Milliseconds that a connection stays open unused. Whoever comes after a quiet moment should not have to wait for new
 * ones, each of which shakes hands and then plans every statement for itself.
 */
const IDLE = 300_000;

const SESSION = [
  // Dates and instants are read as text, whose form these settings decide.
  'timezone=UTC',
  'datestyle=ISO,YMD',
  'intervalstyle=iso_8601',
  // Short statements gain nothing from workers, or from being compiled; and lists rely on rows that come in turn.
  'max_parallel_workers_per_gather=0',
  'jit=off',
  // Each row is worth its place in an index: the default is that of a disk whose head has to move.
  'random_page_cost=1.1',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

const statementTimeoutOf = ({ url, statementTimeout }: ConnectionOptions): number => {
  const asked = Number.parseInt(new URL(url).searchParams.get('statement_timeout') ?? '', 10);
  return statementTimeout ?? (asked >= 0 ? asked : STATEMENT_TIMEOUT);
};

/** What `sslmode` may be for what it is with the package pg 8: each checks the server's certificate and its name. */
const CHECKED_TLS = new Set(['prefer', 'require', 'verify-ca']);

/** What the package pg is told about connections. */
export const driverOptions = (options: ConnectionOptions) => {
  const { url, poolSize = 10, acquireTimeout = 3000 } = options;
  const statementTimeout = statementTimeoutOf(options);
  const target = new URL(url);
  const asked = target.searchParams.get('options');
  // The URL's word would be the last, so the session's settings have to become part of it, and others to leave it.
  target.searchParams.set('options', asked ? `${SESSION} ${asked}` : SESSION);
  target.searchParams.delete('statement_timeout');
  // By the one name that will go on meaning it: of the others the driver warns, in a dozen lines.
  if (
    CHECKED_TLS.has(target.searchParams.get('sslmode') ?? '') &&
    target.searchParams.get('uselibpqcompat') !== 'true'
  ) {
    target.searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: target.href,
    max: poolSize,
    idleTimeoutMillis: IDLE,
    connectionTimeoutMillis: acquireTimeout,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    keepAlive: true,
    application_name: 'chapter',
  };
};

/** Milliseconds that a server may take longer than its statement timeout to say that it has given up. */
const GRACE = 5000;

// Whoever uses a connection hears of its end from the statements that it had, and of one that is not used nobody has to.
const hearEnds = (pool: Pool): void => {
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
const endSilentConnections = (pool: Pool, options: ConnectionOptions): void => {
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

/** The ORM and the pool that it and every statement run on. Connects with the first query. */
export const makeOrm = (
  options: ConnectionOptions,
  more: Partial<Options> = {},
): { readonly orm: MikroORM; readonly pool: Pool } => {
  let pool: Pool | undefined;
  const orm = new MikroORM({
    entities,
    clientUrl: options.url,
    driverOptions: {
      ...driverOptions(options),
      // A transaction sends what it needs no answer to together with what follows, and brief statements share connections.
      // Nothing else may: what is sent while rows are copied would be taken for one of them, and whatever has been sent waits
      // for what was sent before it.
      pipeline: true,
      onPoolCreated: (created: Pool) => {
        pool = created;
      },
    },
    ensureDatabase: false,
    // Its messages repeat statements; what matters of them arrives as an error.
    logger: () => {},
    debug: false,
    ...more,
  });
  orm.em.getConnection().getClient();
  if (!pool) throw new Error('the ORM has made no pool');
  hearEnds(pool);
  endSilentConnections(pool, options);
  return { orm, pool };
};

/** Closes the ORM and its pool, which the ORM leaves open when only others have used it. */
export const closeOrm = async (orm: MikroORM, pool: Pool): Promise<void> => {
  await orm.close(true);
  if (!pool.ending) await pool.end();
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
