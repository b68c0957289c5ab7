import type { BulkPlan } from '@chapter/adapters-postgres';
import { OperatorError } from '../errors/operator-error.ts';

/** Maximum number of divisions that the error names. It counts the others. */
const MAX_NAMED = 20;

/**
 * Refuses an import that would leave divisions with members but without an active Leader. Contract §10.
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
