import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities } from '../schema/entities/index.ts';
import { type ConnectionOptions, driverOptions } from './options.ts';
import { endSilentConnections, hearEnds } from './pool.ts';

/** The ORM and the pool that it and every statement run on. Connects with the first query. */
export const makeOrm = (
  options: ConnectionOptions,
  more: Partial<Options> = {},
): { readonly orm: MikroORM; readonly pool: Pool } => {
  let pool: Pool | undefined;
  const orm = new MikroORM({
    entities,
    clientUrl: options.url,
    driverOptions: {
      ...driverOptions(options),
      // A transaction sends what it needs no answer to together with what follows, and brief statements share connections.
      // Nothing else may: what is sent while rows are copied would be taken for one of them, and whatever has been sent waits
      // for what was sent before it.
      pipeline: true,
      onPoolCreated: (created: Pool) => {
        pool = created;
      },
    },
    ensureDatabase: false,
    // Its messages repeat statements; what matters of them arrives as an error.
    logger: () => {},
    debug: false,
    ...more,
  });
  orm.em.getConnection().getClient();
  if (!pool) throw new Error('the ORM has made no pool');
  hearEnds(pool);
  endSilentConnections(pool, options);
  return { orm, pool };
};

/** Closes the ORM and its pool, which the ORM leaves open when only others have used it. */
export const closeOrm = async (orm: MikroORM, pool: Pool): Promise<void> => {
  await orm.close(true);
  if (!pool.ending) await pool.end();
};
