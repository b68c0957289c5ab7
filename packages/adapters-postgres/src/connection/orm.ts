import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { makeDialect } from './transaction.ts';

/** Makes an ORM for entities whose transactions and statements run on `pool`. Connects with the first statement. */
export const makeOrm = (
  pool: Pool,
  options: Pick<Options, 'dbName' | 'entities' | 'extensions' | 'migrations'>,
): MikroORM =>
  new MikroORM({
    driverOptions: () => makeDialect(pool),
    // Required by the ORM and not used: the pool decides which database it is.
    dbName: 'chapter',
    ensureDatabase: false,
    // The ORM's messages repeat statements; failures arrive as errors.
    logger: () => {},
    debug: false,
    ...options,
  });

/** Closes an ORM and its pool. */
export const closeOrm = async (orm: MikroORM, pool: Pool): Promise<void> => {
  await orm.close(true);
  await pool.end();
};
