export type {
  BulkConflict,
  BulkCounts,
  BulkDivision,
  BulkFile,
  BulkFindings,
  BulkLoad,
  BulkPassword,
  BulkPlan,
  BulkRow,
  BulkUser,
  ConflictReason,
  ExportInBulk,
  IndexProgress,
  LoadInBulk,
  MissingUser,
  PlannedMissing,
  Sink,
} from './bulk/bulk-load.ts';
export type { ConnectionOptions } from './connection/options.ts';
export { type ConnectionTarget, connectionTargetsOf } from './connection/options.ts';
export {
  connectForLoads,
  connectPostgres,
  type Database,
  type LoadDatabase,
  type PoolUse,
  type PostgresOptions,
} from './database/connect-postgres.ts';
export type { Diagnosis } from './database/server-state.ts';
export type { Grants, Migrations, ReportWait, SchemaStatus } from './schema/schema-status.ts';
