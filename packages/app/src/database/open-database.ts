import type { Database, PostgresOptions } from '@chapter/adapters-postgres';
import { databaseAddressOf } from '@chapter/adapters-postgres/database-url';
import { isDomainError, type Tracer } from '@chapter/domain/ports';
import type { Config } from '../config/config.ts';
import type { EmbeddedDatabase } from '../embedded/embedded-database.ts';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import { systemClock, uuidIds } from '../system/clock-and-ids.ts';

/** Patterns in the text of an error (SQLSTATEs: PostgreSQL, appendix A) and the reason to show to the operator. */
const DATABASE_FAULT_REASONS: readonly (readonly [RegExp, string])[] = [
  [/SQLSTATE 28/, 'it rejects the user or the password'],
  [/SQLSTATE 3D000/, 'the server has no database with that name'],
  [/SQLSTATE 53300/, 'all its connections are in use'],
  [/SQLSTATE 57P03/, 'it is starting or stopping'],
  [
    /SQLSTATE 42P05/,
    'a pooler in front of it confuses the prepared statements of its clients: use session mode, or pgbouncer 1.21 or newer with max_prepared_statements = 200',
  ],
  [/SQLSTATE 42501/, 'its user lacks the necessary rights'],
  [/SQLSTATE (?:0A000|58P01)/, 'an extension is missing on the server (pg_trgm or btree_gin)'],
  [/client password/, 'it requires a password, but none is configured'],
  [/ECONNREFUSED/, 'the connection was refused, so PostgreSQL may be stopped'],
  [/\(ENOENT\)/, 'no server listens on its socket'],
  [/\(EACCES\)/, 'this user may not connect to its socket'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved'],
  [/support SSL/, 'it does not support TLS, but the URL requires it'],
  [/certificate/, 'its certificate is not trusted'],
];

/** The error of an adapter that refuses a server or cannot lock a table; it contains the reason. */
const REFUSED = /the (?:database server|migration) was refused: (.*)/;

/** Returns why a database cannot be used, as part of a sentence for the operator; undefined if unknown. */
export const databaseFault = (error: unknown): string | undefined => {
  const { cause } = isDomainError(error) ? error : { cause: error };
  // The driver reads the files that a URL names.
  if (cause instanceof Error && 'syscall' in cause && /^(?:open|read)$/.test(String(cause.syscall))) {
    const file = 'path' in cause ? `the file ${String(cause.path)}` : 'a file';
    return `${file} of its URL cannot be read: ${fileErrorReason(cause)}`;
  }
  const text = String(cause);
  if (cause instanceof AggregateError && !('code' in cause)) {
    const faults = cause.errors.map(
      (host: Error) => `${host.message}: ${databaseFault(host.cause) ?? 'it does not respond'}`,
    );
    return `none of its hosts can be used (${faults.join('; ')})`;
  }
  const known = REFUSED.exec(text)?.[1] ?? DATABASE_FAULT_REASONS.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? (isDomainError(error) ? 'it does not respond' : undefined);
};

/** Returns whether the database refused a statement because the role lacks a right. */
export const lacksRight = (error: unknown): boolean => /SQLSTATE 42501/.test(String(error));

/** Returns whether a new connection lacks a feature, a parameter or a function that every PostgreSQL has. */
const isIncompatible = (error: unknown): boolean => /SQLSTATE (?:0A000|42704|42883)/.test(String(error));

const unusable = (url: string, setting: string, error: unknown): unknown => {
  const why = isIncompatible(error) ? 'it is not compatible with PostgreSQL 15 or newer' : databaseFault(error);
  if (why === undefined) return error;
  const sentence = `The database at ${databaseAddressOf(url)} cannot be used: ${why}; check ${setting}.`;
  return new OperatorError(sentence, error);
};

type Opened<Adapters> = Adapters & AsyncDisposable & { readonly url: string };

/** An open database and its URL. */
export type OpenedDatabase = Opened<Database>;

/** The embedded PostgreSQL, which may not accept connections yet; undefined if the settings select another database. */
export type StartingDatabase = { readonly opened: Promise<EmbeddedDatabase> } | undefined;

/** Begins to start the embedded PostgreSQL in `DATA_DIR` unless there is a URL. */
export const beginStart = async ({ database: { url }, dataDir }: Config): Promise<StartingDatabase> => {
  if (url !== null) return undefined;
  // With a URL, the packages of the embedded server need not be installed.
  const { openEmbeddedDatabase } = await import('../embedded/embedded-database.ts');
  const opened = openEmbeddedDatabase(dataDir);
  // The caller waits for `opened`, and so gets a failure.
  opened.catch(() => {});
  return { opened };
};

/** Opens a database. Errors name `setting` as the place of its URL. `starting`: the embedded one, if it starts. */
type Open<Adapters> = (
  config: Config,
  setting?: string,
  tracer?: Tracer,
  starting?: StartingDatabase,
) => Promise<Opened<Adapters>>;

/**
 * Makes a function that opens the configured database: by URL or, without one, the embedded database in `DATA_DIR`,
 * which is started unless it already runs. Closing stops the embedded database unless another process uses it. The
 * function throws OperatorError if the database cannot be reached, is a standby, or is not encoded in UTF-8.
 */
const makeOpen =
  <Adapters extends Pick<Database, 'ping' | 'close'>>(
    load: () => Promise<(options: PostgresOptions) => Adapters>,
  ): Open<Adapters> =>
  async (config, setting = 'DATABASE_URL', tracer, starting) => {
    const { url, ...more } = config.database;
    const begun = starting ?? (await beginStart(config));
    // The embedded server starts meanwhile.
    const connect = await load();
    const embedded = await begun?.opened;
    const options = { ...more, url: url ?? embedded?.url ?? '', clock: systemClock, ids: uuidIds, tracer };
    const database = connect(options);
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
    return { ...database, close, [Symbol.asyncDispose]: close, url: options.url };
  };

const byOwner =
  <Adapters>(open: Open<Adapters>): Open<Adapters> =>
  (config) => {
    const { ownerUrl } = config.database;
    if (ownerUrl === null) return open(config);
    return open({ ...config, database: { ...config.database, url: ownerUrl } }, 'OWNER_DATABASE_URL');
  };

/** Opens the configured database, like {@link makeOpen}. */
export const openDatabase = makeOpen(async () => (await import('@chapter/adapters-postgres')).connectPostgres);

/** Opens the database as the owner of the schema. */
export const openOwnerDatabase = byOwner(openDatabase);

/** Opens the database for an import of files, as the owner of the schema. */
export const openForLoads = byOwner(makeOpen(async () => (await import('@chapter/adapters-postgres')).connectForLoads));
