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

/** Returns the statement timeout in milliseconds, 0 for none: the option's, else the URL's, else 15,000. */
export const statementTimeoutOf = ({ url, statementTimeout }: ConnectionOptions): number => {
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
