import type { Pool } from 'pg';
import { makePool } from '../../src/connection/pool.ts';

/** For a `describe`: gives its tests a pool on the world's database whose rows come as the service reads them. */
export const useReadPool = (world: () => { readonly url: string }): (() => Pool) => {
  let pool: Pool | undefined;
  before(() => {
    pool = makePool({ url: world().url, poolSize: 2 });
  });
  after(() => pool?.end());
  return () => {
    if (!pool) throw new Error('the pool is there only while tests run');
    return pool;
  };
};
