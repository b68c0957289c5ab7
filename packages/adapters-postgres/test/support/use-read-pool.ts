import type { Pool } from 'pg';
import { makePool } from '../../src/connection/pool.ts';

/** For a `describe`: returns a pool on the world's database that reads values like the service does. */
export const useReadPool = (world: () => { readonly url: string }): (() => Pool) => {
  let pool: Pool | undefined;
  before(() => {
    pool = makePool({ url: world().url, poolSize: 2 });
  });
  after(() => pool?.end());
  return () => {
    if (!pool) throw new Error('the pool exists only while tests run');
    return pool;
  };
};
