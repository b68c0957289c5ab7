import { type HttpMetrics, makeHttpMetrics } from '@chapter/adapters-http';
import type { PoolUse } from '@chapter/adapters-postgres';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What one process counts: requests, connections to the database, and what Node says of itself (event loop, memory). */
export const makeMetrics = (poolUse: () => PoolUse): { readonly registry: Registry; readonly http: HttpMetrics } => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const connections = new Gauge({
    name: 'chapter_database_connections',
    help: 'Connections to the database by state; waiting: requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const { open, idle, waiting } = poolUse();
      for (const [state, count] of Object.entries({ open, idle, waiting })) connections.set({ state }, count);
    },
  });
  return { registry, http: makeHttpMetrics(registry) };
};
