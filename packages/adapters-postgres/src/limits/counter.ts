import { rateLimited } from '@chapter/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import { db } from '../schema/tables.ts';

/** Returns the milliseconds since 1970 of an instant. */
export const epochMilliseconds = (instant: Expression<string>) =>
  sql<bigint>`(extract(epoch from ${instant}) * 1000)::bigint`;

/** The milliseconds since 1970 by the database's clock, which all instances share. */
export const NOW_MS = epochMilliseconds(sql`now()`);

/** A counter of the table `login_limit`; its window is in milliseconds. */
interface Counter {
  readonly key: Expression<string>;
  readonly limit: Expression<number>;
  readonly window: Expression<number>;
}

/**
 * Builds a statement that adds one to a counter, or starts it anew once its window is over, and returns when the window
 * ends. Where the counter has reached its limit, or `condition` does not hold, it writes nothing and returns no row.
 */
export const take = ({ key, limit, window }: Counter, condition: Expression<SqlBool> = sql.lit(true)) =>
  db
    .insertInto('login_limit')
    .columns(['key', 'points', 'expire'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`${key}::text`.as('key'),
          sql.lit(1).as('points'),
          sql<bigint>`${NOW_MS} + ${window}::bigint`.as('expire'),
        ])
        .where(condition),
    )
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((eb) => {
          const counts = eb('login_limit.expire', '>', NOW_MS);
          return {
            points: eb
              .case()
              .when(counts)
              .then(eb('login_limit.points', '+', 1))
              .else(1)
              .end(),
            expire: eb.case().when(counts).then(eb.ref('login_limit.expire')).else(eb.ref('excluded.expire')).end(),
          };
        })
        .where((eb) =>
          eb('login_limit.expire', '<=', NOW_MS).or('login_limit.points', '<', sql<number>`${limit}::int`),
        ),
    )
    .returning('expire');

/** Returns the refusal, with the milliseconds until a counter's window ends; a whole window where that is not known. */
export const limited = (milliseconds: number | null, windowSeconds: number) =>
  rateLimited(Math.max(1, Math.ceil(milliseconds === null ? windowSeconds : milliseconds / 1000)));
