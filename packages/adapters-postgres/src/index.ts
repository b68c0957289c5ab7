export { connectPostgres, type Database, type PoolUse, type PostgresOptions } from './connect.ts';
export { LOGIN_LIMITS, type LoginLimitRules } from './login-limits.ts';
export type { Migrations, SchemaStatus } from './migrator.ts';
export type { ConnectionOptions } from './orm.ts';
