import { rateLimited } from '@chapter/domain/ports';
import { type Expression, type SqlBool, sql } from 'kysely';
import { db } from '../schema/tables.ts';

/** Converts an instant to milliseconds since 1970, in SQL. */
export const epochMilliseconds = (instant: Expression<string>) =>
  sql<bigint>`(extract(epoch from ${instant}) * 1000)::bigint`;

/** The milliseconds since 1970 of the database's clock, which all instances share. */
export const NOW_MS = epochMilliseconds(sql`now()`);

interface Counter {
  readonly key: Expression<string>;
  readonly limit: Expression<number>;
  readonly windowMs: Expression<number>;
  readonly subject?: Expression<string | null>;
}

/**
 * Builds a statement that increments a counter, or restarts it after the end of its window, and returns the end of the
 * window. If the counter has reached its limit or `condition` is false, it writes nothing and returns no row.
 */
export const increment = ({ key, limit, windowMs, subject = sql.lit(null) }: Counter, condition: Expression<SqlBool>) =>
  db
    .insertInto('login_limit')
    .columns(['key', 'points', 'expire', 'subject'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`${key}::text`.as('key'),
          sql.lit(1).as('points'),
          sql<bigint>`${NOW_MS} + ${windowMs}::bigint`.as('expire'),
          sql<string | null>`${subject}::text`.as('subject'),
        ])
        .where(condition),
    )
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((eb) => {
          const isCurrent = eb('login_limit.expire', '>', NOW_MS);
          return {
            points: eb
              .case()
              .when(isCurrent)
              .then(eb('login_limit.points', '+', 1))
              .else(1)
              .end(),
            expire: eb.case().when(isCurrent).then(eb.ref('login_limit.expire')).else(eb.ref('excluded.expire')).end(),
            subject: eb.ref('excluded.subject'),
          };
        })
        .where((eb) =>
          eb('login_limit.expire', '<=', NOW_MS).or('login_limit.points', '<', sql<number>`${limit}::int`),
        ),
    )
    .returning('expire');

/** Returns the error for an exceeded limit. `remainingMs` is the time until the window ends; null if unknown. */
export const rateLimitError = (remainingMs: number | null, windowSeconds: number) =>
  rateLimited(Math.max(1, Math.ceil(remainingMs === null ? windowSeconds : remainingMs / 1000)));
