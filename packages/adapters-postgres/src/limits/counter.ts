import { rateLimited } from '@chapter/domain';

/** SQL for the milliseconds since 1970 of an instant. */
export const epochMilliseconds = (instant: string): string => `(extract(epoch from ${instant}) * 1000)::bigint`;

/** SQL for the milliseconds since 1970 by the database's clock, which all instances share. */
export const NOW = epochMilliseconds('now()');

/**
 * Adds one to a counter of the table `login_limit`, or starts it anew once its window is over. Where the counter has
 * reached its limit nothing is written and no row returned. The parameters are placeholders or expressions.
 */
export const take = ({
  key,
  limit,
  window,
  condition = 'true',
}: Record<'key' | 'limit' | 'window', string> & { condition?: string }): string =>
  `insert into login_limit as counter (key, points, expire)
    select ${key}, 1, ${NOW} + ${window}::bigint where ${condition}
    on conflict (key) do update set
      points = case when counter.expire > ${NOW} then counter.points + 1 else 1 end,
      expire = case when counter.expire > ${NOW} then counter.expire else excluded.expire end
    where counter.expire <= ${NOW} or counter.points < ${limit}::int`;

/** The refusal, with the milliseconds until a counter's window ends; a whole window where that is not known. */
export const limited = (milliseconds: number | null, windowSeconds: number) =>
  rateLimited(Math.max(1, Math.ceil(milliseconds === null ? windowSeconds : milliseconds / 1000)));
