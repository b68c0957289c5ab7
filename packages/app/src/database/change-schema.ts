import type { Database } from '@chapter/adapters-postgres';
import { OperatorError } from '../errors/operator-error.ts';
import { databaseFault } from './database-fault.ts';

/** Changes the schema. @throws OperatorError where the database does not allow it. */
export const changeSchema = async <T>(change: () => Promise<T>): Promise<T> => {
  try {
    return await change();
  } catch (error) {
    const why = databaseFault(error);
    if (why === undefined) throw error;
    throw new OperatorError(`the schema of the database cannot be changed: ${why}`, error);
  }
};

/**
 * Lets nobody work on a schema that is older than this program: brings it up to date where that is wanted.
 *
 * @throws OperatorError where it is older and is to stay so, or has to.
 */
export const bringUpToDate = async ({ migrations }: Database, mayMigrate: boolean): Promise<void> => {
  const { pending, state } = await migrations.status();
  if (state !== 'older') return;
  if (mayMigrate) {
    await changeSchema(() => migrations.up());
    return;
  }
  const behind = `the database's schema is older than this program (to go: ${pending.join(', ')})`;
  throw new OperatorError(`${behind}; run "chapter migrate", or set MIGRATE_ON_START=true`);
};
