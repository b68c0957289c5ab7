export type * from './bulk/bulk-load.ts';
export { type ConnectionOptions, type ConnectionTarget, connectionTargetsOf } from './connection/options.ts';
export {
  connectForLoads,
  connectPostgres,
  type Database,
  type LoadDatabase,
  type PoolUse,
  type PostgresOptions,
} from './database/connect-postgres.ts';
export type { Diagnosis } from './database/server-state.ts';
export type * from './schema/schema-status.ts';
