import * as original from '../../../packages/adapters-postgres/src/users/user-list.ts';
import { moduleAt } from '../replaced.ts';

export * from '../../../packages/adapters-postgres/src/users/user-list.ts';

/** Pages whose rows are read from the table. */
export const replaces = moduleAt('packages/adapters-postgres/src/users/user-list.ts');

const { listed: _, ...withoutIndex } = original.userList;

/** See the module that this one replaces. */
export const userList: typeof original.userList = withoutIndex;
