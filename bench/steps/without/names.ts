import * as original from '../../../packages/adapters-postgres/src/connection/statement.ts';
import { moduleAt } from '../replaced.ts';

/** Statements without names: each is planned anew each time. */
export const replaces = moduleAt('packages/adapters-postgres/src/connection/statement.ts');

/** See the module that this one replaces. */
export const runOn: typeof original.runOn = (client, { text }, values) => original.runOn(client, { text }, values);
