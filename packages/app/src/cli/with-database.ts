import type { Database } from '@chapter/adapters-postgres';
import { type Config, readConfig } from '../config/config.ts';
import { onSignals } from '../system/signals.ts';
import type { CliContext } from './context.ts';
import { INTERRUPTING_SIGNALS, Interrupted } from './interrupted.ts';

/** Milliseconds that a command has to come to its end in once its database is closed. */
const SHUTDOWN_LIMIT_MS = 2000;

/**
 * Closes the database when the process is told to stop: an embedded one stops with its last user. A second signal, of
 * whatever kind, ends the process at once.
 */
const closeOnSignals = (close: () => Promise<void>) => {
  let interrupted: Interrupted | undefined;
  let cut: NodeJS.Timeout | undefined;
  let isOver = false;
  const removeListeners = onSignals(INTERRUPTING_SIGNALS, (signal) => {
    if (interrupted) process.exit(interrupted.status);
    const { status } = (interrupted = new Interrupted(signal));
    void close().finally(() => {
      if (!isOver) cut = setTimeout(() => process.exit(status), SHUTDOWN_LIMIT_MS);
    });
  });
  return {
    /** What is thrown in place of the faults that come of it. */
    interrupted: () => interrupted,
    stop: () => {
      isOver = true;
      clearTimeout(cut);
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
 * Runs `use` on the database of the configuration as the role that owns the schema, for any version of the schema, and
 * closes the database.
 *
 * @throws Interrupted where a signal came before `use` was done.
 */
export const withOwnerDatabase = async <T>(
  context: CliContext,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => withOpened(context, (await import('../database/open-database.ts')).openOwnerDatabase, use);

/** Everything that the operator's use cases need. */
export type OperatorPorts = ReturnType<typeof import('../compose.ts').composeOperator>;

type UsePorts<T> = (ports: OperatorPorts, config: Config) => Promise<T>;

const withPortsOf = async <T>(context: CliContext, open: OpenDatabase, use: UsePorts<T>): Promise<T> => {
  const [{ composeOperator }, { bringUpToDate }] = await Promise.all([
    import('../compose.ts'),
    import('../database/change-schema.ts'),
  ]);
  return withOpened(context, open, async (database, config) => {
    await bringUpToDate(database, config);
    return use(composeOperator(config, database), config);
  });
};

/**
 * Runs `use` on the database with the schema that this program wants.
 *
 * @throws OperatorError where the schema is older, and the configuration does not say to bring it up to date.
 */
export const withPorts = async <T>(context: CliContext, use: UsePorts<T>): Promise<T> =>
  withPortsOf(context, (await import('../database/change-schema.ts')).openServingDatabase, use);

/**
 * Runs `use` like {@link withPorts}, but as the role that owns the schema where `OWNER_DATABASE_URL` names it: only an owner
 * may drop and create indexes.
 *
 * @throws OperatorError where the schema is older, and the configuration does not say to bring it up to date.
 */
export const withPortsOfOwner = async <T>(context: CliContext, use: UsePorts<T>): Promise<T> =>
  withPortsOf(context, (await import('../database/change-schema.ts')).openDatabaseAsOwner, use);
