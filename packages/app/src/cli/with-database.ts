import type { Database } from '@chapter/adapters-postgres';
import { type Config, readConfig } from '../config/config.ts';
import { onSignals } from '../signals.ts';
import { BREAKING_SIGNALS, BrokenOff } from './broken-off.ts';
import type { CliContext } from './context.ts';

/** Milliseconds that a command has to come to its end in once its database is closed. */
const PATIENCE = 2000;

/**
 * Closes the database when the process is told to stop: an embedded one stops with its last user. A second signal, of
 * whatever kind, ends the process at once.
 */
const closingOnSignals = (close: () => Promise<void>) => {
  let brokenOff: BrokenOff | undefined;
  let cut: NodeJS.Timeout | undefined;
  let isOver = false;
  const letGo = onSignals(BREAKING_SIGNALS, (signal) => {
    if (brokenOff) process.exit(brokenOff.status);
    const { status } = (brokenOff = new BrokenOff(signal));
    void close().finally(() => {
      if (!isOver) cut = setTimeout(() => process.exit(status), PATIENCE);
    });
  });
  return {
    /** What is thrown in place of the faults that come of it. */
    brokenOff: () => brokenOff,
    stop: () => {
      isOver = true;
      clearTimeout(cut);
      letGo();
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
  const signals = closingOnSignals(close);
  try {
    return await use(database, config);
  } catch (error) {
    throw signals.brokenOff() ?? error;
  } finally {
    await close();
    signals.stop();
  }
};

/**
 * Runs `use` on the database of the configuration, whatever its schema, and closes it.
 *
 * @throws BrokenOff where a signal came before `use` was done.
 */
const withDatabase = async <T>(
  context: CliContext,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => withOpened(context, (await import('../open-database.ts')).openDatabase, use);

/** Does what `withDatabase` does, as the role that owns the schema. */
export const withOwnerDatabase = async <T>(
  context: CliContext,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => withOpened(context, (await import('../open-database.ts')).openOwnerDatabase, use);

/** Everything that the operator's use cases need. */
export type OperatorPorts = ReturnType<typeof import('../compose.ts').composeOperator>;

/**
 * Runs `use` on the database with the schema that this program wants.
 *
 * @throws OperatorError where the schema is older, and the configuration does not say to bring it up to date.
 */
export const withPorts = <T>(
  context: CliContext,
  use: (ports: OperatorPorts, config: Config) => Promise<T>,
): Promise<T> =>
  withDatabase(context, async (database, config) => {
    const [{ composeOperator }, { bringUpToDate }] = await Promise.all([
      import('../compose.ts'),
      import('../bring-up-to-date.ts'),
    ]);
    await bringUpToDate(database, config);
    return use(composeOperator(config, database), config);
  });
