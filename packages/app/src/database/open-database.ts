import { connectPostgres, type Database } from '@chapter/adapters-postgres';
import { databaseAddressOf } from '@chapter/adapters-postgres/database-url';
import { isDomainError } from '@chapter/domain';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { systemClock, uuidIds } from '../system/clock-and-ids.ts';
import { databaseFault } from './database-fault.ts';

const unusable = (url: string, setting: string, error: unknown): unknown => {
  const why = databaseFault(error);
  if (why === undefined && !isDomainError(error)) return error;
  const sentence = `the database at ${databaseAddressOf(url)} cannot be used: ${why ?? 'it does not answer'}`;
  return new OperatorError(`${sentence}; is ${setting} right?`, error);
};

/** A database, and where others find it. */
export interface OpenedDatabase extends Database {
  readonly url: string;
}

/**
 * The database that the configuration names: by URL, else the embedded one in `DATA_DIR`, which is started, or joined
 * where it runs already. Closing it stops the embedded one unless another process uses it.
 *
 * @throws OperatorError where it cannot be reached, is a standby, or is in another encoding than UTF-8.
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
    // Connects, and so checks what every connection must be.
    await database.ping();
  } catch (error) {
    await close();
    throw unusable(options.url, setting, error);
  }
  return { ...database, close, url: options.url };
};

/** Opens the database as the role that owns the schema, by `OWNER_DATABASE_URL` where that is set. */
export const openOwnerDatabase = (config: Config): Promise<OpenedDatabase> => {
  const { ownerUrl } = config.database;
  if (ownerUrl === null) return openDatabase(config);
  return openDatabase({ ...config, database: { ...config.database, url: ownerUrl } }, 'OWNER_DATABASE_URL');
};
