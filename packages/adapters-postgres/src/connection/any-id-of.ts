import { type Expression, type RawBuilder, sql } from 'kysely';

/**
 * Returns `any(…)` of the ids in a parameter, for statements that look up batches: `where('id', '=', anyIdOf(ids))`. The
 * subquery hides the number of ids from PostgreSQL's planner. A planner that sees a small number estimates a custom plan as
 * cheaper than the generic plan, and plans each execution, which costs more than the execution. The outer cast makes the
 * subquery one array; without it, `any` would compare with its rows.
 */
export const anyIdOf = <Id extends string>(ids: Expression<readonly Id[]>): RawBuilder<Id> =>
  sql<Id>`any((select ${ids}::uuid[])::uuid[])`;
