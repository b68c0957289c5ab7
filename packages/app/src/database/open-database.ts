import { connectPostgres, type Database } from '@chapter/adapters-postgres';
import { DomainError } from '@chapter/domain';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { systemClock } from '../system/system-clock.ts';
import { uuidIds } from '../system/uuid-ids.ts';
import { databaseFault } from './database-fault.ts';

const place = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
};

const unreachable = (url: string, setting: string, error: unknown): unknown => {
  const why = databaseFault(error);
  if (why === undefined && !(error instanceof DomainError)) return error;
  const sentence = `the database at ${place(url)} cannot be reached: ${why ?? 'it does not answer'}`;
  return new OperatorError(`${sentence}; is ${setting} right?`, error);
};

/** A database, and where others find it. */
export interface OpenedDatabase extends Database {
  readonly url: string;
}

/**
 * The database that the configuration names: by URL, else the embedded one in `DATA_DIR`, which is started, or joined
 * where it runs already. Closing it stops the embedded one when nobody else uses it.
 *
 * @throws OperatorError where it cannot be reached, or keeps its texts in another encoding than UTF-8.
 */
export const openDatabase = async (
  { database: { url, ...more }, dataDir }: Config,
  setting = 'DATABASE_URL',
): Promise<OpenedDatabase> => {
  // Where there is a URL, what starts an embedded server need not even be installed.
  const embedded =
    url === null ? await (await import('../embedded/embedded-database.ts')).openEmbeddedDatabase(dataDir) : null;
  const options = { ...more, url: url ?? embedded?.url ?? '', clock: systemClock, ids: uuidIds };
  const database = connectPostgres(options);
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.close();
  };
  try {
    const encoding = await database.encoding().catch((error: unknown) => {
      throw unreachable(options.url, setting, error);
    });
    if (encoding !== 'UTF8') {
      throw new OperatorError(`the database at ${place(options.url)} is in ${encoding}, and has to be in UTF8`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { ...database, close, url: options.url };
};

/** Opens the database as the role that owns the schema, by `OWNER_DATABASE_URL` where that is set. */
export const openOwnerDatabase = (config: Config): Promise<OpenedDatabase> => {
  const { ownerUrl } = config.database;
  if (ownerUrl === null) return openDatabase(config);
  return openDatabase({ ...config, database: { ...config.database, url: ownerUrl } }, 'OWNER_DATABASE_URL');
};
