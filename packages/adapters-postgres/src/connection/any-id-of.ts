import { type Expression, type RawBuilder, sql } from 'kysely';

/**
 * Compares with any of the ids in a parameter, for statements that look up batches: `where('id', '=', anyIdOf(ids))`. The
 * subquery hides the number of ids from PostgreSQL's planner. Otherwise, it would find a plan for a small batch cheaper than
 * the general one and plan the statement again for each execution, which costs more than the execution.
 */
export const anyIdOf = <Id extends string>(ids: Expression<readonly Id[]>): RawBuilder<Id> =>
  sql<Id>`any((select ${ids}::uuid[])::uuid[])`;
