import type { Pool, PoolClient } from 'pg';
import { isOutage, translateError } from './errors.ts';
import { streamOf } from './pool.ts';
import { type Runner, runOn } from './statement.ts';

/** How many statements share a connection at most: the last of them waits for all. */
const MAX_SHARED = 4;

/** A statement that waits for a connection. */
interface Waiting {
  readonly run: (client: PoolClient) => Promise<unknown>;
  readonly refuse: (error: unknown) => void;
}

const runTogether = async (pool: Pool, together: readonly Waiting[]): Promise<void> => {
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    for (const { refuse } of together) refuse(error);
    return;
  }
  const stream = streamOf(client);
  stream.cork();
  const running = together.map(async ({ run }) => {
    try {
      await run(client);
    } catch (error) {
      // The others have waited for as long: nobody waits once more for each of them.
      if (isOutage(error)) stream.destroy();
      throw error;
    }
  });
  stream.uncork();
  const ends = await Promise.allSettled(running);
  client.release(ends.some(({ status }) => status === 'rejected'));
};

/**
 * Runs statements that end soon: those of one turn of the event loop share connections, on each of which they are sent at
 * once, and fail or succeed each for itself, except that where the server gives one up or goes away, those behind it are
 * refused with it. That is less work for both sides than a trip for each, and the more so the busier the service is.
 */
const runningTogether = (pool: Pool): Runner['query'] => {
  let waiting: Waiting[] = [];
  const runAll = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MAX_SHARED) void runTogether(pool, all.slice(at, at + MAX_SHARED));
  };
  return <Row extends readonly unknown[]>(...asked: Parameters<Runner['query']>) =>
    new Promise<readonly Row[]>((resolve, reject) => {
      const run = (client: PoolClient): Promise<unknown> => {
        const running = runOn<Row>(client, ...asked);
        resolve(running);
        return running;
      };
      waiting.push({ run, refuse: reject });
      if (waiting.length === 1) setImmediate(runAll);
    });
};

/** Runs statements on connections of a pool that has a pipeline. Throws what `translateError` makes of the database's errors. */
export const runnerOn = (pool: Pool): Runner => {
  const together = runningTogether(pool);
  return {
    query: async <Row extends readonly unknown[]>(...[statement, values]: Parameters<Runner['query']>) => {
      try {
        return await (statement.isBrief ? together<Row>(statement, values) : runOn<Row>(pool, statement, values));
      } catch (error) {
        throw translateError(error);
      }
    },
  };
};
