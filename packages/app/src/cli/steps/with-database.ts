import type { Database, LoadDatabase, ReportWait } from '@chapter/adapters-postgres';
import type { composeOperator } from '../../compose.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { bringUpToDate, describeWait, migrateAndOpen } from '../../database/change-schema.ts';
import { lacksRight, openDatabase, openForLoads, openOwnerDatabase } from '../../database/open-database.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { Interrupted, onSignals, STOP_SIGNALS } from '../../system/signals.ts';
import type { CliContext } from './context.ts';

/** Milliseconds that an interrupted command may still run after its database is closed. */
const INTERRUPTED_RUN_LIMIT_MS = 2000;

/**
 * Closes the database on a signal, because an embedded database must stop with its last user. A second signal of any
 * kind ends the process immediately.
 */
const closeOnSignals = (close: () => Promise<void>) => {
  let interrupted: Interrupted | undefined;
  let forcedExit: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const removeListeners = onSignals(STOP_SIGNALS, (signal) => {
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

/** Opens a database, runs `use` on it and closes it. @throws Interrupted if a signal arrives before `use` ends. */
export const withOpened = async <Opened extends Pick<Database, 'close'>, T>(
  config: Config,
  open: (config: Config) => Promise<Opened>,
  use: (database: Opened, config: Config) => Promise<T>,
): Promise<T> => {
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

/** Makes a report of waiting migrations to standard error. */
export const reportWaitOn = ({ writeError }: CliContext): ReportWait =>
  describeWait((sentence) => writeError(`${sentence}.\n`));

/**
 * Runs `use` on the configured database as the owner of the schema, and closes the database. Does not check the schema
 * version.
 *
 * @throws Interrupted if a signal arrives before `use` ends.
 */
export const withOwnerDatabase = <T>(
  context: CliContext,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => withOpened(readConfig(context.variables, 'command'), openOwnerDatabase, use);

/** The ports of the operator's use cases. */
export type CommandPorts = ReturnType<typeof composeOperator>;

const makeWithPorts =
  <Opened extends LoadDatabase, Ports>(
    open: (config: Config) => Promise<Opened>,
    compose: (config: Config, database: Opened) => Ports | Promise<Ports>,
  ) =>
  <T>(context: CliContext, use: (ports: Ports, config: Config) => Promise<T>): Promise<T> => {
    const reportWait = reportWaitOn(context);
    return withOpened(
      readConfig(context.variables, 'command'),
      (config) => migrateAndOpen(config, reportWait, open),
      async (database, config) => {
        await bringUpToDate(database, config, reportWait);
        return use(await compose(config, database), config);
      },
    );
  };

const composePorts = async (config: Config, database: Database): Promise<CommandPorts> =>
  (await import('../../compose.ts')).composeOperator(config, database);

/**
 * Runs `use` with the ports of the configured database, and closes it. If `MIGRATE_ON_START` is set, migrates it first.
 *
 * @throws OperatorError if the schema is older and `MIGRATE_ON_START` is not set.
 */
export const withPorts = makeWithPorts(openDatabase, composePorts);

/**
 * Does the same as {@link withPorts}, but as the owner of the schema if `OWNER_DATABASE_URL` is set. Only the owner may
 * drop and create indexes, and change audit entries.
 *
 * @throws OperatorError if the schema is older and `MIGRATE_ON_START` is not set.
 */
export const withPortsOfOwner = makeWithPorts(openOwnerDatabase, composePorts);

/** Does the same as {@link withPortsOfOwner}, with what an import of files needs. */
export const withLoadsOfOwner = makeWithPorts(openForLoads, (_, database) => database);

/**
 * Runs `work`, which needs the rights of the owner of the tables.
 *
 * @throws OperatorError if the database refuses it because its role lacks these rights.
 */
export const asOwner = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!lacksRight(error)) throw error;
    throw new OperatorError('Only the owner of the tables may do this; set OWNER_DATABASE_URL.', error);
  }
};
