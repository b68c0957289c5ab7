export type { ExportInBulk, Sink } from './bulk/bulk-export.ts';
export type {
  BulkConflict,
  BulkCounts,
  BulkDivision,
  BulkFile,
  BulkFindings,
  BulkLoad,
  BulkPassword,
  BulkRow,
  BulkUser,
  LoadInBulk,
} from './bulk/bulk-load.ts';
export type { ConnectionOptions } from './connection/options.ts';
export { connectPostgres, type Database, type PoolUse, type PostgresOptions } from './database/connect-postgres.ts';
export type { Grants } from './schema/grants.ts';
export type { Migrations, SchemaStatus } from './schema/migrator.ts';
