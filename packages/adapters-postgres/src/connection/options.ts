import type { Tracer } from '@chapter/domain/ports';
import { Client } from 'pg';
import { splitHosts, urlParameters } from '../database-url/index.ts';
import type { KnownCluster } from './known-cluster.ts';

/** How to connect to a database. */
export interface ConnectionOptions {
  /**
   * `postgresql://user:password@host1:port,host2:port/database`, with the parameters that the package pg knows, and
   * `target_session_attrs`. New connections go to the first usable host.
   */
  readonly url: string;
  /** The maximum number of connections; default 10. */
  readonly poolSize?: number;
  /** How long to wait for a connection before the error `unavailable`; default 3,000. */
  readonly acquireTimeoutMs?: number;
  /** When the server cancels a statement, 0 for never; default: the URL's value, else 15,000. */
  readonly statementTimeoutMs?: number;
  /**
   * How long a request may take. Each statement ends before, and a server that sends nothing for half of it is silent.
   * But a COMMIT is awaited as long as the server works on it. Without a deadline, only the statement timeout applies.
   */
  readonly requestDeadlineMs?: number;
  /** Maximum age of a pooled connection; default 30 minutes. */
  readonly maxLifetimeMs?: number;
  /**
   * The time after which a connection is checked again before its next use, because a pooler may have switched it to
   * another server; default 5,000.
   */
  readonly checkIntervalMs?: number;
  /** Whether connections may lead to a standby, for reads that first check whether it has all changes. */
  readonly allowsStandby?: boolean;
  /** What is known about the cluster of several hosts. Without it, any primary is used. */
  readonly cluster?: KnownCluster | undefined;
  /** Whether a server may be silent for longer than the statement timeout, for transactions without that timeout. */
  readonly allowsSilence?: boolean;
  /** Shows statements, waits and retries. */
  readonly tracer?: Tracer | undefined;
}

const POOL_SIZE = 10;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Shorter than the wait for a connection, so that requests that wait for a lock end before those that wait for them. */
const LOCK_TIMEOUT_MS = 2500;
const ACQUIRE_TIMEOUT_MS = 3000;
/** The part of a request's deadline that one statement may take. */
const STATEMENT_PART = 0.8;

const readTimeout = (url: string, name: string): number | undefined => {
  const timeout = urlParameters(url).get(name) ?? '';
  return /^\d+$/.test(timeout) ? Number(timeout) : undefined;
};

/**
 * Returns the statement timeout in milliseconds, 0 for none: the option's, else the URL's, else 15,000; with a deadline
 * at most four fifths of it.
 */
export const statementTimeoutOf = ({ url, statementTimeoutMs, requestDeadlineMs }: ConnectionOptions): number => {
  const given = statementTimeoutMs ?? readTimeout(url, 'statement_timeout') ?? STATEMENT_TIMEOUT_MS;
  if (requestDeadlineMs === undefined) return given;
  return Math.min(given || Number.POSITIVE_INFINITY, requestDeadlineMs * STATEMENT_PART);
};

/**
 * Returns the milliseconds that a transaction may be idle, 0 for no limit: the option `statementTimeoutMs`, else the
 * URL's `idle_in_transaction_session_timeout`, else the statement timeout.
 */
const idleTimeoutOf = (options: ConnectionOptions): number =>
  options.statementTimeoutMs ??
  readTimeout(options.url, 'idle_in_transaction_session_timeout') ??
  statementTimeoutOf(options);

/** Returns the milliseconds that a statement waits for each lock, 0 for no limit: the URL's `lock_timeout`, else 2,500. */
const lockTimeoutOf = ({ url }: ConnectionOptions): number => readTimeout(url, 'lock_timeout') ?? LOCK_TIMEOUT_MS;

/** Returns the maximum number of connections. */
export const poolSizeOf = ({ poolSize = POOL_SIZE }: ConnectionOptions): number => poolSize;

/** Returns the milliseconds that a caller waits for a connection. */
export const acquireTimeoutOf = ({ acquireTimeoutMs = ACQUIRE_TIMEOUT_MS }: ConnectionOptions): number =>
  acquireTimeoutMs;

/** Planner settings that prefer index scans. The bounded cost of lists relies on them. */
const PLANNER = {
  // Short statements gain nothing from workers or compilation, and lists need rows in index order.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // Assume SSD: make the planner prefer index scans.
  random_page_cost: '1.1',
};

/** Settings for the format of dates and texts. PostgreSQL and poolers report changes of them. */
const FORMATS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
};

/**
 * Lifts the time limits for a long transaction, including limits that a role or a pooler sets. But one that may write
 * may be idle for only 5 minutes: requests would wait forever for the locks of a stopped command (Ctrl-Z). The limits
 * apply again after the transaction, because a transaction pooler then gives the session to other clients.
 */
export const LIFT_TIME_LIMITS = `select set_config(name, case
    when name like 'idle%' and not current_setting('transaction_read_only')::boolean then '5min' else '0' end, true)
  from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Lets a transaction wait for each lock without a limit. An import, an export or an erasure may wait for another one. */
export const WAIT_FOR_LOCKS = 'set local lock_timeout = 0';

/** Returns the settings in the `options` of a URL by name, such as `options=-c random_page_cost=4`. */
export const settingsInUrl = (url: string): ReadonlyMap<string, string> => {
  const options = urlParameters(url).get('options') ?? '';
  return new Map(
    Array.from(options.matchAll(/(?:^|\s)(?:-c\s*|--)(\w+)\s*=\s*(\S*)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
};

/**
 * Returns the settings of every session. Planner settings in the URL's `options` override those of this package. They
 * are also set by statement, because a pooler may drop `options`.
 */
export const sessionSettings = (options: ConnectionOptions): Readonly<Record<string, string>> => {
  const given = settingsInUrl(options.url);
  return {
    ...FORMATS,
    ...Object.fromEntries(Object.entries(PLANNER).map(([name, value]) => [name, given.get(name) ?? value])),
    statement_timeout: String(statementTimeoutOf(options)),
    idle_in_transaction_session_timeout: String(idleTimeoutOf(options)),
    lock_timeout: String(lockTimeoutOf(options)),
  };
};

/** Values of `sslmode` that the package pg 8 treats as `verify-full`: it verifies the certificate and its host name. */
const VERIFYING_MODES = new Set(['prefer', 'require', 'verify-ca']);

/** Parameters that this package handles itself: the driver does not know them, or they are set by a statement. */
const HANDLED_PARAMETERS = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'target_session_attrs',
];

/**
 * Milliseconds without a byte after which the system asks whether the other end is still there. Ten seconds later,
 * Node.js ends a connection whose end has gone, also one whose statement the server may still answer.
 */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** Returns the driver's configuration for a URL with one host. */
export const clientConfig = (url: string) => {
  const target = new URL(url);
  const { searchParams } = target;
  const parameters = urlParameters(url);
  for (const name of HANDLED_PARAMETERS) searchParams.delete(name);
  // For the other modes, the driver prints a long warning.
  if (VERIFYING_MODES.has(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true') {
    searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: target.href,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'chapter',
  };
};

/** A host that the driver connects to. */
export interface ConnectionTarget {
  /** A name, an address without brackets, or the directory of a Unix socket. */
  readonly host: string;
  readonly isPlainText: boolean;
}

/** Returns the target of a URL with one host, or undefined if the driver rejects it. */
const targetOf = (url: string): ConnectionTarget | undefined => {
  try {
    const { host, ssl } = new Client(clientConfig(url));
    return { host, isPlainText: !ssl };
  } catch {
    return undefined;
  }
};

/**
 * Returns the hosts of a database URL as the driver reads them, each once. The driver also reads the environment, such
 * as `PGHOST` and `PGSSLMODE`. A host that the driver rejects, for example because a file of a certificate is missing,
 * is no target.
 */
export const connectionTargetsOf = (url: string): readonly ConnectionTarget[] => {
  const targets = splitHosts(url).flatMap((single) => targetOf(single) ?? []);
  return [...new Map(targets.map((target) => [target.host, target])).values()];
};
