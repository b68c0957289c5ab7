import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Pool } from 'pg';
import { lendConnection, type PooledConnection } from './pooled-connection.ts';

const makeDriver = (pool: Pool): Driver => {
  const sql = new PostgresDriver({ pool });
  return {
    init: async () => {},
    acquireConnection: async () => lendConnection(await pool.connect()),
    // MikroORM runs its transaction as soon as this resolves: BEGIN goes along with the first statement.
    beginTransaction: async (connection: PooledConnection, settings) =>
      connection.begin(() => sql.beginTransaction(connection, settings)),
    commitTransaction: (connection: PooledConnection) => connection.commit(),
    rollbackTransaction: (connection: PooledConnection) => connection.rollback(),
    savepoint: (...savepoint) => sql.savepoint(...savepoint),
    rollbackToSavepoint: (...savepoint) => sql.rollbackToSavepoint(...savepoint),
    releaseSavepoint: (...savepoint) => sql.releaseSavepoint(...savepoint),
    releaseConnection: async (connection: PooledConnection) => connection.release(),
    // The pool belongs to its maker.
    destroy: async () => {},
  };
};

/**
 * Kysely's PostgreSQL dialect on a pool of our own. Kysely's driver would wait for BEGIN, and would keep a connection for
 * ever whose COMMIT and ROLLBACK both fail: as many outages as the pool has connections would exhaust it (decision 19).
 */
export const makeDialect = (pool: Pool): Dialect => ({
  createDriver: () => makeDriver(pool),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});
