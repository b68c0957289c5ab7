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
export { connectPostgres, type Database, type PoolUse, type PostgresOptions } from './connect.ts';
export type { Migrations, SchemaStatus } from './migrator.ts';
export type { ConnectionOptions } from './orm.ts';
