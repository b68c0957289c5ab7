import * as original from '../../../packages/adapters-postgres/src/connection/runner.ts';
import { moduleAt } from '../replaced.ts';

/** Brief statements that each have a connection to themselves, as all others. */
export const replaces = moduleAt('packages/adapters-postgres/src/connection/runner.ts');

/** See the module that this one replaces. */
export const runnerOn: typeof original.runnerOn = (pool) => {
  const runner = original.runnerOn(pool);
  return { query: (statement, values) => runner.query({ ...statement, isBrief: false }, values) };
};
