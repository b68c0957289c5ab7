import type { BulkPlan } from '@chapter/adapters-postgres';
import { OperatorError } from '../errors/operator-error.ts';

/** Divisions that the error names; it counts all. */
const MAX_NAMED = 20;

/**
 * Refuses to leave divisions that have members without an active Leader. See contract §10.
 *
 * @throws OperatorError that names the divisions.
 */
export const requireLeaders = (leaderless: BulkPlan['leaderless']): void => {
  if (leaderless.length === 0) return;
  const names = leaderless.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = leaderless.length > MAX_NAMED ? ` and ${leaderless.length - MAX_NAMED} more` : '';
  throw new OperatorError(
    `The import would remove the last active Leader of ${names.join(', ')}${more}; make another user a Leader first, or give --force.`,
  );
};
