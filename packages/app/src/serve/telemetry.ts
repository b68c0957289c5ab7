import { type HttpMetrics, makeHttpMetrics } from '@chapter/adapters-http';
import type { PoolUse } from '@chapter/adapters-postgres';
import type { FairQueue } from '@chapter/domain';
import { type Logger, pino } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';

/** Makes the log on standard output: one line per event, as JSON or as readable text. */
export const makeLog = async ({ level, format }: Config['log']): Promise<Logger> => {
  if (format === 'json') return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const { default: pretty } = await import('pino-pretty');
  return pino(
    { level, base: null },
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
};

/**
 * Makes the metrics of one process: requests, database connections, the queues by name, and Node's defaults such as event loop
 * and memory.
 */
export const makeMetrics = (
  poolUse: () => PoolUse,
  queues: Readonly<Record<string, FairQueue['use']>>,
): { readonly registry: Registry; readonly http: HttpMetrics } => {
  const registry = new Registry();
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
  return { registry, http: makeHttpMetrics(registry) };
};
