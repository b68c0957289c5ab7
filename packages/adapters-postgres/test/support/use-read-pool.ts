import type { Pool } from 'pg';
import { makePool } from '../../src/connection/pool.ts';

/** For a `describe`: returns a pool on a database that reads values like the service does. */
export const useReadPool = (database: () => { readonly url: string }): (() => Pool) => {
  let pool: Pool | undefined;
  before(() => {
    pool = makePool({ url: database().url, poolSize: 2 });
  });
  after(() => pool?.end());
  return () => {
    if (!pool) throw new Error('the pool exists only while tests run');
    return pool;
  };
};
