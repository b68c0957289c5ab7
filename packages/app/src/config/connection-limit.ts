import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * Number of file descriptors that each process reserves: for files, the internal port, questions to silent servers and
 * each of several hosts, and Node.js (about 30). Connections of the API and of the database pools count separately.
 */
const RESERVED_FILES = 64;

/** Database connections that only `/readyz` uses, in addition to the pools. */
export const HEALTH_CONNECTIONS = 1;

/** The service does not start if it can serve fewer connections: a single browser opens up to six. */
const MIN_CONNECTIONS = 16;

/** The upper bound of `MAX_CONNECTIONS`. */
export const HIGHEST_MAX_CONNECTIONS = 1_000_000;

interface LimitsReport {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
}

/** Returns the soft limit of open files from a diagnostic report of Node.js; infinity if it has none (Windows). */
export const parseOpenFiles = (report: LimitsReport): number => {
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
};

/** Returns how many files this process may open: the soft `RLIMIT_NOFILE`, which Node.js raises to the hard limit. */
export const readOpenFiles = (): number => {
  // By default, the report looks up the names of all connected hosts.
  const report = Object.assign(process.report, { excludeNetwork: true }).getReport();
  return parseOpenFiles(report);
};

/** Bytes that a connection needs while it sends the largest request head. An idle one needs a quarter of that. */
const CONNECTION_BYTES = 40 * 1024;

/** Returns how many connections fit into some bytes of memory. */
export const connectionsIn = (memory: number): number => Math.floor(memory / CONNECTION_BYTES);

/**
 * Returns how many bytes of memory each of `workers` processes can use: its part of the machine or the container, and
 * at most the heap that V8 allows.
 */
export const memoryOfProcess = (workers: number): number =>
  Math.min(
    Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / workers,
    getHeapStatistics().heap_size_limit,
  );

/** Returns the default of `MAX_CONNECTIONS`: as many as open files allow and as fit into a quarter of the memory. */
export const defaultMaxConnections = (capacity: number, memory: number): number =>
  Math.min(capacity, Math.max(MIN_CONNECTIONS, connectionsIn(memory / 4)));

/** Returns how many API connections the limit of open files leaves after the database connections. */
export const connectionCapacity = (openFiles: number, databaseConnections: number): number =>
  Math.min(openFiles - databaseConnections - RESERVED_FILES, HIGHEST_MAX_CONNECTIONS);

/**
 * Returns why `maxConnections` does not fit, as the continuation of a sentence that starts with the setting's name, or
 * undefined if it fits.
 */
export const connectionLimitFault = (maxConnections: number, capacity: number, openFiles: number) => {
  if (capacity < MIN_CONNECTIONS) {
    const needed = openFiles - capacity + MIN_CONNECTIONS;
    return `cannot be met: the limit of ${openFiles} open files is too low; raise it to at least ${needed} (ulimit -n)`;
  }
  if (maxConnections <= capacity) return undefined;
  const limit = `at most ${capacity} with a limit of ${openFiles} open files`;
  return `must be ${limit}, but is ${maxConnections}; lower it or raise the limit (ulimit -n)`;
};
