import * as original from '../../../packages/adapters-http/src/requests/check-body.ts';
import { moduleAt } from '../replaced.ts';

/** Validators that are made for each body, and not once for all. */
export const replaces = moduleAt('packages/adapters-http/src/requests/check-body.ts');

/** See the module that this one replaces. */
export const makeBodyCheck: typeof original.makeBodyCheck = (description) => (body) =>
  original.makeBodyCheck(description)(body);
