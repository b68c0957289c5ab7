import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { Pool } from 'pg';
import { createTestDatabase, type PrepareTemplate, type TestDatabase } from '../../../../test-support/database.ts';
import { makePool } from '../../src/connection/pool.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { useBlockers } from './use-blockers.ts';

/**
 * For a `describe`: gives each test a database and its owner's connections, and closes what the test opens. The database is
 * empty, or a copy of one that `prepare` has filled.
 */
export const useOwnDatabase = (prepare?: PrepareTemplate) => {
  let test: TestDatabase;
  let sql: Pool;
  const closings: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    test = await createTestDatabase(prepare);
    sql = new Pool({ connectionString: test.url });
    sql.on('error', () => {});
    closings.push(() => sql.end());
  });
  // Its hook ends transactions before the database is dropped.
  const blockers = useBlockers(() => ({ url: test.url, sql }));
  afterEach(async () => {
    await Promise.all(closings.splice(0).map((close) => close()));
    await test.drop();
  });
  return {
    blockers,
    url: (): string => test.url,
    /** Runs SQL as the owner. */
    sql: (): Pool => sql,
    connect: (url = test.url): Database => {
      const database = connectPostgres({ url, clock: makeSettableClock(), ids: makeSequentialIds() });
      closings.push(() => database.close());
      return database;
    },
    /** Opens a pool of connections with the settings of the service. */
    openPool: (url = test.url): Pool => {
      const pool = makePool({ url });
      closings.push(() => pool.end());
      return pool;
    },
  };
};
