import { type HttpMetrics, makeHttpMetrics } from '@chapter/adapters-http';
import type { PoolUse } from '@chapter/adapters-postgres';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Makes the metrics of one process: requests, database connections, and Node's defaults such as event loop and memory. */
export const makeMetrics = (poolUse: () => PoolUse): { readonly registry: Registry; readonly http: HttpMetrics } => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const connections = new Gauge({
    name: 'chapter_database_connections',
    help: 'Database connections by state. The state "waiting" counts requests that wait for a connection.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const { open, idle, waiting } = poolUse();
      for (const [state, count] of Object.entries({ open, idle, waiting })) connections.set({ state }, count);
    },
  });
  return { registry, http: makeHttpMetrics(registry) };
};
