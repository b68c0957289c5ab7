import type { Database, ReportWait } from '@chapter/adapters-postgres';
import { type Config, readConfig } from '../config/config.ts';
import { onSignals } from '../system/signals.ts';
import type { CliContext } from './context.ts';
import { INTERRUPTING_SIGNALS, Interrupted } from './interrupted.ts';

/** Milliseconds that an interrupted command may still run after its database is closed. */
const INTERRUPTED_RUN_LIMIT_MS = 2000;

/**
 * Closes the database on a signal, because an embedded database must stop with its last user. A second signal of any kind
 * ends the process immediately.
 */
const closeOnSignals = (close: () => Promise<void>) => {
  let interrupted: Interrupted | undefined;
  let forcedExit: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const removeListeners = onSignals(INTERRUPTING_SIGNALS, (signal) => {
    if (interrupted) process.exit(interrupted.status);
    const { status } = (interrupted = new Interrupted(signal));
    void close().finally(() => {
      if (!hasEnded) forcedExit = setTimeout(() => process.exit(status), INTERRUPTED_RUN_LIMIT_MS);
    });
  });
  return {
    /** The error to throw instead of those that the closed database causes. */
    interrupted: () => interrupted,
    stop: () => {
      hasEnded = true;
      clearTimeout(forcedExit);
      removeListeners();
    },
  };
};

type OpenDatabase = (config: Config) => Promise<Database>;

const withOpened = async <T>(
  { variables }: CliContext,
  open: OpenDatabase,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => {
  const config = readConfig(variables, 'command');
  const database = await open(config);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= database.close());
  const signals = closeOnSignals(close);
  try {
    return await use(database, config);
  } catch (error) {
    throw signals.interrupted() ?? error;
  } finally {
    await close();
    signals.stop();
  }
};

/**
 * Runs `use` on the configured database as the owner of the schema, and closes the database. Does not check the schema
 * version.
 *
 * @throws Interrupted if a signal arrives before `use` ends.
 */
export const withOwnerDatabase = async <T>(
  context: CliContext,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => withOpened(context, (await import('../database/open-database.ts')).openOwnerDatabase, use);

/** The ports of the operator's use cases. */
export type OperatorPorts = ReturnType<typeof import('../compose.ts').composeOperator>;

type UsePorts<T> = (ports: OperatorPorts, config: Config) => Promise<T>;

const withPortsOf = async <T>(
  context: CliContext,
  open: (config: Config, reportWait: ReportWait) => Promise<Database>,
  use: UsePorts<T>,
): Promise<T> => {
  const [{ composeOperator }, { bringUpToDate, describeWait }] = await Promise.all([
    import('../compose.ts'),
    import('../database/change-schema.ts'),
  ]);
  const reportWait = describeWait((sentence) => context.writeError(`${sentence}.\n`));
  const openReporting = (config: Config) => open(config, reportWait);
  return withOpened(context, openReporting, async (database, config) => {
    await bringUpToDate(database, config, reportWait);
    return use(composeOperator(config, database), config);
  });
};

/**
 * Runs `use` with the ports of the configured database, and closes the database. Migrates an older schema first if
 * `MIGRATE_ON_START` is set.
 *
 * @throws OperatorError if the schema is older and `MIGRATE_ON_START` is not set.
 */
export const withPorts = async <T>(context: CliContext, use: UsePorts<T>): Promise<T> =>
  withPortsOf(context, (await import('../database/change-schema.ts')).openServingDatabase, use);

/**
 * Does the same as {@link withPorts}, but as the owner of the schema if `OWNER_DATABASE_URL` is set. Only the owner may drop
 * and create indexes, and change audit entries.
 *
 * @throws OperatorError if the schema is older and `MIGRATE_ON_START` is not set.
 */
export const withPortsOfOwner = async <T>(context: CliContext, use: UsePorts<T>): Promise<T> =>
  withPortsOf(context, (await import('../database/change-schema.ts')).migrateAndOpenAsOwner, use);
