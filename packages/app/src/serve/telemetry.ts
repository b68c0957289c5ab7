import fs, { constants } from 'node:fs';
import { makeHttpMetrics, type OpsPorts } from '@chapter/adapters-http';
import type { Database } from '@chapter/adapters-postgres';
import type { FairQueue } from '@chapter/domain/ports';
import { type Logger, pino } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, openMetricsContentType, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { version } from '../system/version.ts';
import { signingSince } from '../tokens/key-file.ts';
import type { Tracing } from './tracing.ts';

/** A pipe takes this many bytes as a whole (PIPE_BUF of Linux), so that the lines of several workers do not mix. */
const MAX_WRITE_BYTES = 4096;

/** How long a line waits for others in milliseconds. Contract §9. */
const GATHER_MS = 100;

/** How long a write that failed waits for its repetition. A pipe takes 64 KiB each time, so at most 6 MB/s of a backlog. */
const REPEAT_MS = 10;

/** How many bytes of lines wait while the output takes none. Further lines are lost. */
const MAX_WAITING_BYTES = 2 ** 24;

/** Types bind a registry to the format that it has at first. */
const setFormat = (registry: Registry, contentType: string): void =>
  registry.setContentType(contentType as typeof registry.contentType);

/**
 * Opens standard output anew and non-blocking, because the processes that inherit it also share that setting. Where it
 * cannot be opened, as for a socket, the setting is that of the process that changed it last.
 */
const openOutput = (): number => {
  try {
    return fs.openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
  } catch {
    return process.stdout.fd;
  }
};

/**
 * Returns a destination that gathers lines, because each write wakes a thread. Lines of level error do not wait. If a
 * write fails, because the disk is full or the reader of a pipe stands still, it is repeated, and the service continues.
 */
const gatherLines = () => {
  const fd = openOutput();
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let lines = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const writeNext = (): void => {
    const chunk = waiting.shift();
    if (!chunk) return;
    fs.write(fd, chunk, (error, written) => {
      waitingBytes -= written;
      if (written < chunk.length) waiting.unshift(chunk.subarray(written));
      if (error) setTimeout(writeNext, REPEAT_MS).unref();
      else writeNext();
    });
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const isWriting = waitingBytes > 0;
    if (waitingBytes < MAX_WAITING_BYTES) {
      waiting.push(Buffer.from(lines));
      waitingBytes += bytes;
    }
    lines = '';
    bytes = 0;
    if (!isWriting) writeNext();
  };
  // A write in the background might not begin. One that has begun may end after these.
  process.on('exit', () => {
    try {
      for (const chunk of [...waiting, Buffer.from(lines)]) fs.writeSync(fd, chunk);
    } catch {
      // The end does not wait for an output that takes nothing.
    }
  });
  return {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      const size = Buffer.byteLength(line);
      if (bytes > 0 && bytes + size > MAX_WRITE_BYTES) flush();
      lines += line;
      bytes += size;
      timer ??= setTimeout(flush, GATHER_MS).unref();
      if (this.lastLevel >= (pino.levels.values['error'] ?? 0)) flush();
    },
  };
};

/** Makes the log on standard output: a line per event, as JSON or as readable text. `traceIds` are in each line. */
export const makeLog = async ({ level, format }: Config['log'], traceIds?: () => object): Promise<Logger> => {
  const options = { level, base: null, ...(traceIds && { mixin: traceIds }) };
  if (format === 'json') return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, gatherLines());
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
};

/**
 * Makes the metrics of one process: requests, database connections, queues by name, and Node's defaults such as memory.
 * With `exemplarOf`, durations of requests have exemplars, which only the format OpenMetrics can express.
 */
export const makeMetrics = (
  { divisionReads, incidents, poolUse }: Pick<Database, 'divisionReads' | 'incidents' | 'poolUse'>,
  queues: Readonly<Record<string, FairQueue['use']>>,
  exemplarOf?: Tracing['exemplar'],
) => {
  const registry = new Registry();
  if (exemplarOf) setFormat(registry, openMetricsContentType);
  collectDefaultMetrics({ register: registry });
  const connections = new Gauge({
    name: 'chapter_database_connections',
    help: 'Database connections by state. The state "waiting" counts requests that wait for a connection.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      for (const [state, count] of Object.entries<number>({ ...poolUse() })) connections.set({ state }, count);
    },
  });
  /** Makes a counter of what the database counts by the values of a label. */
  const count = (name: string, help: string, label: string, counted: () => Readonly<Record<string, number>>): void => {
    const counter = new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect: () => {
        counter.reset();
        for (const [value, total] of Object.entries(counted())) counter.inc({ [label]: value }, total);
      },
    });
  };
  count(
    'chapter_database_incidents_total',
    'Repeated transactions, calls that were refused because the server is silent, and those without a connection.',
    'kind',
    incidents,
  );
  count(
    'chapter_division_reads_total',
    'Lists of users and statistics, if there are replicas.',
    'server',
    divisionReads,
  );
  const calls = new Gauge({
    name: 'chapter_queue_calls',
    help: 'Calls in the queues of requests, hashes and writes, by state: running or waiting.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    collect: () => {
      for (const [queue, use] of Object.entries(queues)) {
        for (const [state, count] of Object.entries(use())) calls.set({ queue, state }, count);
      }
    },
  });
  return { registry, http: makeHttpMetrics(registry, exemplarOf) };
};

/**
 * Makes the metrics that an instance has once, however many processes serve: version, last purge, replaced workers, key
 * and database. `addTo` adds them to those of the processes that serve. What cannot be read is absent.
 */
export const makeInstanceMetrics = (database: Pick<Database, 'health' | 'diagnosis'>, keysFile: string) => {
  const registry = new Registry();
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  gauge('chapter_build_info', 'The version of the product.', 'version').labels(version).set(1);
  const purged = gauge(
    'chapter_purge_timestamp_seconds',
    'When the instance last deleted expired rows without a failure; at first, when it started.',
  );
  purged.setToCurrentTime();
  const replaced = new Counter({
    name: 'chapter_worker_restarts_total',
    help: 'Workers that died.',
    registers: [registry],
  });
  const key = gauge('chapter_key_timestamp_seconds', 'When the current key began to sign tokens.');
  const clock = gauge('chapter_database_clock_difference_seconds', "The database's clock less that of the instance.");
  const locks = gauge('chapter_database_lock_wait_seconds', 'The longest current wait for a lock.');
  const oldest = gauge('chapter_database_oldest_transaction_seconds', 'The age of the oldest transaction.');
  const tables = gauge(
    'chapter_database_table_bytes',
    'The size of each table with its indexes, as of its latest vacuum or ANALYZE.',
    'table',
  );
  const lag = gauge(
    'chapter_replica_lag_seconds',
    'The age of the latest change that a replica has, if it lacks some.',
    'server',
  );
  const readKey = async () => key.set(signingSince(keysFile) / 1000);
  const readHealth = async () => {
    const { blockers, clockDifferenceMs } = await database.health();
    clock.set(clockDifferenceMs / 1000);
    locks.set(Math.max(0, ...blockers.map(({ waitSeconds }) => waitSeconds)));
  };
  const readLoad = async () => {
    const { oldest: transaction, tableBytes } = await database.diagnosis.load();
    oldest.set(transaction?.seconds ?? 0);
    tables.reset();
    for (const [table, bytes] of Object.entries(tableBytes)) tables.set({ table }, bytes);
  };
  const readLag = async () => {
    const replicas = await database.diagnosis.replicas();
    lag.reset();
    for (const replica of replicas) {
      if (!('error' in replica) && replica.isStandby) lag.set({ server: replica.name }, replica.secondsBehind ?? 0);
    }
  };
  const readAll = () =>
    Promise.all([
      readKey().catch(() => key.remove()),
      readHealth().catch(() => [clock, locks].forEach((one) => one.remove())),
      readLoad().catch(() => [oldest.remove(), tables.reset()]),
      readLag().catch(() => lag.reset()),
    ]);
  return {
    onPurged: () => purged.setToCurrentTime(),
    onReplaced: () => replaced.inc(),
    addTo: (serving: OpsPorts['registry']): OpsPorts['registry'] => {
      setFormat(registry, serving.contentType);
      const metrics = async (): Promise<string> => {
        const [ofServing, own] = await Promise.all([serving.metrics(), readAll().then(() => registry.metrics())]);
        return ofServing.replace('# EOF\n', '') + own;
      };
      return { contentType: serving.contentType, metrics };
    },
  };
};

/** Starts the log, and the traces if there are any. Without traces, the SDK of OpenTelemetry is not loaded. */
export const startTelemetry = async (config: Config) => {
  const tracing = config.tracing ? (await import('./tracing.ts')).makeTracing() : undefined;
  const log = await makeLog(config.log, tracing?.ids);
  tracing?.start(log);
  return { log, tracing };
};
