import { CONFLICT_LIMITS, type ConflictLimits } from '@chapter/domain/ports';
import { sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import type { RunnerFor } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import { increment, NOW_MS, rateLimitError } from './counter.ts';

const COUNT = defineStatement(
  'count-conflict',
  (value: Parameters<{ key: string; limit: number; windowMs: number }>) =>
    db
      .with('counted', () => increment({ key: value('key'), limit: value('limit'), windowMs: value('windowMs') }))
      .selectNoFrom((eb) => [
        eb.selectFrom('counted').select(sql<number>`count(*)::int`.as('count')).$asScalar().$notNull().as('counted'),
        eb
          .selectFrom('login_limit')
          .select(sql<number | null>`(${sql.ref('expire')} - ${NOW_MS})::float8`.as('wait'))
          .where('key', '=', value('key'))
          .$asScalar()
          .as('wait'),
      ]),
  { columns: ['counted', 'wait'] },
);

/** Makes limits of conflicts. PostgreSQL counts, so that all instances share the limits. */
export const makeConflictLimits = (runnerFor: RunnerFor): ConflictLimits => ({
  count: async (userId) => {
    const { ofUser, windowSeconds } = CONFLICT_LIMITS;
    const key = `c:${userId}`;
    const [row] = await COUNT.run(runnerFor([userId, key]), { key, limit: ofUser, windowMs: windowSeconds * 1000 });
    const [counted = 0, wait = null] = row ?? [];
    if (counted === 0) throw rateLimitError(wait, windowSeconds);
  },
});
