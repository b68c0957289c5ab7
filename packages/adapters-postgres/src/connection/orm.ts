import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { splitHosts } from '../database-url/index.ts';
import { entities } from '../schema/entities/index.ts';
import type { ConnectionOptions } from './options.ts';
import { makePool } from './pool.ts';

/** Returns the ORM and the pool that it and every statement run on. Connects with the first query. */
export const makeOrm = (
  options: ConnectionOptions,
  more: Partial<Options> = {},
): { readonly orm: MikroORM; readonly pool: Pool } => {
  const pool = makePool(options);
  const orm = new MikroORM({
    entities,
    // Tells the ORM the name of the database; the pool connects to it.
    clientUrl: splitHosts(options.url)[0] ?? options.url,
    driverOptions: () => new PostgresDialect({ pool }),
    ensureDatabase: false,
    // Its messages repeat statements; errors report what matters.
    logger: () => {},
    debug: false,
    ...more,
  });
  return { orm, pool };
};

/** Closes the ORM and its pool, which the ORM leaves open when only others have used it. */
export const closeOrm = async (orm: MikroORM, pool: Pool): Promise<void> => {
  await orm.close(true);
  if (!pool.ending) await pool.end();
};
