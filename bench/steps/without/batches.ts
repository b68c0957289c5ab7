import type * as original from '../../../packages/adapters-postgres/src/connection/batch.ts';
import { moduleAt } from '../replaced.ts';

/** Look-ups that each have a statement. */
export const replaces = moduleAt('packages/adapters-postgres/src/connection/batch.ts');

/** See the module that this one replaces. */
export const batched: typeof original.batched =
  <Key, Value>(load: (keys: readonly Key[]) => Promise<readonly Value[]>) =>
  async (key: Key) => {
    const [value] = await load([key]);
    return value as Value;
  };
