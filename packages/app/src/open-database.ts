import { connectPostgres, type Database } from '@chapter/adapters-postgres';
import { isDomainError } from '@chapter/domain';
import type { Config } from './config/config.ts';
import { databaseFault } from './database-fault.ts';
import { OperatorError } from './operator-error.ts';
import { systemClock } from './system-clock.ts';
import { uuidIds } from './uuid-ids.ts';

const place = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
};

const unreachable = (url: string, error: unknown): unknown => {
  const why = databaseFault(error);
  if (why === undefined && !isDomainError(error)) return error;
  const sentence = `the database at ${place(url)} cannot be reached: ${why ?? 'it does not answer'}`;
  return new OperatorError(`${sentence}; is DATABASE_URL right?`, error);
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
export const openDatabase = async ({ database: { url, ...more }, dataDir }: Config): Promise<OpenedDatabase> => {
  // Where there is a URL, what starts an embedded server need not even be installed.
  const embedded =
    url === null ? await (await import('./embedded/embedded-database.ts')).openEmbeddedDatabase(dataDir) : null;
  const options = { ...more, url: url ?? embedded?.url ?? '', clock: systemClock, ids: uuidIds };
  const database = connectPostgres(options);
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.close();
  };
  try {
    const encoding = await database.encoding().catch((error: unknown) => {
      throw unreachable(options.url, error);
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
