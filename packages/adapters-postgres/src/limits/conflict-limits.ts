import { CONFLICT_LIMITS, type ConflictLimits } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import { limited, NOW, take } from './counter.ts';

const COUNT = {
  name: 'count-conflict',
  text: `with taken as (${take({ key: '$1', limit: '$2', window: '$3' })} returning 1)
    select (select count(*)::int from taken), (select (expire - ${NOW})::float8 from login_limit where key = $1)`,
};

/** Counts in PostgreSQL, so that all instances share the limit. */
export const makeConflictLimits = (runner: Runner): ConflictLimits => ({
  count: async (userId) => {
    const { ofUser, windowSeconds } = CONFLICT_LIMITS;
    const [row] = await runner.query<readonly [number, number | null]>(COUNT, [
      `c:${userId}`,
      ofUser,
      windowSeconds * 1000,
    ]);
    const [taken = 0, wait = null] = row ?? [];
    if (taken === 0) throw limited(wait, windowSeconds);
  },
});
