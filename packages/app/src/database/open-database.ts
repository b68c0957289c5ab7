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
  const sentence = `The database at ${databaseAddressOf(url)} cannot be used: ${why ?? 'it does not respond'}`;
  return new OperatorError(`${sentence}; check ${setting}.`, error);
};

/** An open database and its URL. */
export interface OpenedDatabase extends Database {
  readonly url: string;
}

/**
 * Opens the configured database: by URL or, without one, the embedded database in `DATA_DIR`, which is started unless it
 * already runs. Closing stops the embedded database unless another process uses it.
 *
 * @throws OperatorError if the database cannot be reached, is a standby, or is not encoded in UTF-8.
 */
export const openDatabase = async (
  { database: { url, ...more }, dataDir }: Config,
  setting = 'DATABASE_URL',
): Promise<OpenedDatabase> => {
  // With a URL, the packages of the embedded server need not be installed.
  const embedded =
    url === null ? await (await import('../embedded/embedded-database.ts')).openEmbeddedDatabase(dataDir) : null;
  const options = { ...more, url: url ?? embedded?.url ?? '', clock: systemClock, ids: uuidIds };
  const database = connectPostgres(options);
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.close();
  };
  try {
    // Connecting also runs the checks of every new connection.
    await database.ping();
  } catch (error) {
    await close();
    throw unusable(options.url, setting, error);
  }
  return { ...database, close, url: options.url };
};

/** Opens the database as the owner of the schema, by `OWNER_DATABASE_URL` if that is set. */
export const openOwnerDatabase = (config: Config): Promise<OpenedDatabase> => {
  const { ownerUrl } = config.database;
  if (ownerUrl === null) return openDatabase(config);
  return openDatabase({ ...config, database: { ...config.database, url: ownerUrl } }, 'OWNER_DATABASE_URL');
};
