import type { Database } from '@chapter/adapters-postgres';
import { type Config, readConfig } from '../config/config.ts';
import type { CliContext } from './context.ts';

/** Exit statuses of a process that a signal ended, by the convention of shells. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Lets a command that is broken off close the database first: an embedded one stops with its last user. */
const closingOnSignals = (close: () => Promise<void>): (() => void) => {
  const handlers = Object.entries(SIGNALS).map(([signal, status]) => {
    const handle = (): void => void close().finally(() => process.exit(status));
    process.once(signal, handle);
    return () => process.off(signal, handle);
  });
  return () => {
    for (const remove of handlers) remove();
  };
};

/** Runs `use` on the database of the configuration as it is, whatever its schema, and closes it. */
export const withDatabase = async <T>(
  { variables }: CliContext,
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> => {
  const config = readConfig(variables, 'command');
  const { openDatabase } = await import('../open-database.ts');
  const database = await openDatabase(config);
  const ignoreSignals = closingOnSignals(() => database.close());
  try {
    return await use(database, config);
  } finally {
    await database.close();
    ignoreSignals();
  }
};

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
    await bringUpToDate(database, config.database.migrateOnStart);
    return use(composeOperator(config, database), config);
  });
