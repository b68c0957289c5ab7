import type { Database, Grants, Migrations, ReportWait, SchemaStatus } from '@chapter/adapters-postgres';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { databaseFault, lacksRight, openDatabase, openOwnerDatabase } from './open-database.ts';

/** Formats SQL statements one per line, ready to copy. */
export const formatStatements = (statements: readonly string[]): string =>
  statements.map((statement) => `  ${statement};\n`).join('');

const forAdministrator = (statements: readonly string[]): string =>
  statements.length > 0 ? `; ask an administrator to run:\n${formatStatements(statements)}`.trimEnd() : '.';

/** Returns a report of waiting migrations that writes a sentence for the operator, without a full stop. */
export const describeWait =
  (write: (sentence: string) => void): ReportWait =>
  (name, limitMs) =>
    write(`Migration ${name} waits for another transaction, such as an export, for up to ${limitMs / 60_000} minutes`);

/**
 * Changes the schema or the rights in it.
 *
 * @throws OperatorError if the database refuses, with the statements that an administrator must run.
 */
export const changeSchema = async <T>(migrations: Migrations, change: () => Promise<T>): Promise<T> => {
  try {
    return await change();
  } catch (error) {
    const why = databaseFault(error);
    if (why === undefined) throw error;
    const missing = lacksRight(error) ? await migrations.missingRights().catch(() => []) : [];
    throw new OperatorError(`The schema of the database cannot be changed: ${why}${forAdministrator(missing)}`, error);
  }
};

/** Grants the role of `DATABASE_URL` the rights to serve; does nothing if that role is also the owner. */
export const grantServingRole = async ({ migrations }: Database, { database }: Config): Promise<Grants | undefined> => {
  const { ownerUrl, url } = database;
  if (ownerUrl === null || url === null) return undefined;
  try {
    return await changeSchema(migrations, () => migrations.grantTo(url));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError(
      'DATABASE_URL does not name a role; add one, as in postgresql://role@host/database.',
      error,
    );
  }
};

/**
 * Stores the settings of every session in the role that owns the schema and in the one that serves, whose statements
 * end before the deadline of a request. Returns the statements.
 */
export const storeRoleSettings = async (owner: Pick<Database, 'migrations'>, config: Config) => {
  const { database, http } = config;
  const stored = database.ownerUrl === null ? [] : await owner.migrations.storeSettings();
  const serving = { ...config, database: { ...database, requestDeadlineMs: http.requestDeadlineMs } };
  await using opened = await openDatabase(serving);
  return [...stored, ...(await opened.migrations.storeSettings())];
};

const migrateAsOwner = async (config: Config, reportWait: ReportWait): Promise<void> => {
  await using owner = await openOwnerDatabase(config);
  await changeSchema(owner.migrations, () => owner.migrations.up(reportWait));
  const grants = await grantServingRole(owner, config);
  if (grants === undefined || grants.refused.length === 0) return;
  throw new OperatorError(`The role ${grants.role} lacks rights or has too many${forAdministrator(grants.refused)}`);
};

/**
 * Opens the database with `open`. If `MIGRATE_ON_START` and `OWNER_DATABASE_URL` are set, the owner first migrates and
 * grants the rights to serve, because the serving role may not be able to connect without them.
 *
 * @throws OperatorError if the owner cannot migrate or the database cannot be used.
 */
export const migrateAndOpen = async <Opened>(
  config: Config,
  reportWait: ReportWait,
  open: (config: Config) => Promise<Opened>,
): Promise<Opened> => {
  if (config.database.migrateOnStart && config.database.ownerUrl !== null) await migrateAsOwner(config, reportWait);
  return open(config);
};

const readStatus = async (migrations: Migrations): Promise<SchemaStatus> => {
  try {
    return await migrations.status();
  } catch (error) {
    const why = databaseFault(error);
    if (why === undefined) throw error;
    const advice = lacksRight(error) ? '; run "chapter migrate" with OWNER_DATABASE_URL' : '';
    throw new OperatorError(`The schema of the database cannot be read: ${why}${advice}.`, error);
  }
};

/**
 * Ensures that the schema is not older than this program. Migrates if `MIGRATE_ON_START` is set and one role both owns
 * and serves; with two roles, {@link migrateAndOpen} has already migrated.
 *
 * @throws OperatorError if the schema is older and must not or cannot be changed.
 */
export const bringUpToDate = async (
  { migrations }: Pick<Database, 'migrations'>,
  config: Config,
  reportWait?: ReportWait,
): Promise<void> => {
  const { pending, state } = await readStatus(migrations);
  if (state !== 'older') return;
  if (config.database.migrateOnStart) {
    await changeSchema(migrations, () => migrations.up(reportWait));
    return;
  }
  const problem = `The database's schema is older than this program (pending migrations: ${pending.join(', ')})`;
  throw new OperatorError(`${problem}; run "chapter migrate", or set MIGRATE_ON_START=true.`);
};
