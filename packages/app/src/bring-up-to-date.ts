import type { Database } from '@chapter/adapters-postgres';
import { OperatorError } from './operator-error.ts';

/**
 * Lets nobody work on a schema that is older than this program: brings it up to date where that is wanted.
 *
 * @throws OperatorError where it is older and is to stay so.
 */
export const bringUpToDate = async ({ migrations }: Database, mayMigrate: boolean): Promise<void> => {
  const { pending, state } = await migrations.status();
  if (state !== 'older') return;
  if (mayMigrate) {
    await migrations.up();
    return;
  }
  const behind = `the database's schema is older than this program (${pending.length} migrations to go)`;
  throw new OperatorError(`${behind}; run "chapter migrate", or set MIGRATE_ON_START=true`);
};
