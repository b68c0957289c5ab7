import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { makeDialect } from './transaction.ts';

/** Makes an ORM whose transactions and statements run on `pool`. It connects with the first statement. */
export const makeOrm = (
  pool: Pool,
  options: Pick<Options, 'dbName' | 'entities' | 'extensions' | 'migrations'>,
): MikroORM =>
  new MikroORM({
    driverOptions: () => makeDialect(pool),
    // The ORM requires a name but does not use it: the pool decides on the database.
    dbName: 'chapter',
    ensureDatabase: false,
    // The ORM's messages repeat statements. Failures are thrown as errors.
    logger: () => {},
    debug: false,
    ...options,
  });

/** Closes an ORM and its pool. */
export const closeOrm = async (orm: MikroORM, pool: Pool): Promise<void> => {
  await orm.close(true);
  await pool.end();
};
