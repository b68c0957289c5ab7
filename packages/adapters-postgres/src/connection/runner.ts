import type { Pool, PoolClient } from 'pg';
import { isOutage, translateError } from './errors.ts';
import { streamOf } from './pool.ts';
import { type Runner, runOn } from './statement.ts';

/** How many brief statements are sent together on one connection: the last of them waits for all. */
const MAX_STATEMENTS_PER_TRIP = 4;

/** How many look-ups one statement takes at most. */
const MAX_BATCH_SIZE = 500;

/** Milliseconds that later look-ups wait for the answer to earlier ones, at most: a connection may be silent for longer. */
const BATCH_WAIT_MS = 20;

interface WaitingStatement {
  readonly run: (client: PoolClient) => Promise<unknown>;
  readonly refuse: (error: unknown) => void;
}

const runTogether = async (pool: Pool, together: readonly WaitingStatement[]): Promise<void> => {
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
      // The statements behind it have waited as long as it: each would otherwise wait for the server once more.
      if (isOutage(error)) stream.destroy();
      throw error;
    }
  });
  stream.uncork();
  const ends = await Promise.allSettled(running);
  client.release(ends.some(({ status }) => status === 'rejected'));
};

/**
 * Runs brief statements. Those of one turn of the event loop share connections, on each of which they are sent at once:
 * that is less work for both sides than a trip for each. Each succeeds or fails on its own, but if the server cancels one
 * or goes away, those behind it fail with it.
 */
const runningTogether = (pool: Pool): Runner['query'] => {
  let waiting: WaitingStatement[] = [];
  const runAll = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MAX_STATEMENTS_PER_TRIP) {
      void runTogether(pool, all.slice(at, at + MAX_STATEMENTS_PER_TRIP));
    }
  };
  return <Row extends readonly unknown[]>(...input: Parameters<Runner['query']>) =>
    new Promise<readonly Row[]>((resolve, reject) => {
      const run = (client: PoolClient): Promise<unknown> => {
        const running = runOn<Row>(client, ...input);
        resolve(running);
        return running;
      };
      waiting.push({ run, refuse: reject });
      if (waiting.length === 1) setImmediate(runAll);
    });
};

const runAlone = async <Row extends readonly unknown[]>(
  pool: Pool,
  ...input: Parameters<Runner['query']>
): Promise<readonly Row[]> => {
  const client = await pool.connect();
  let isBroken = true;
  try {
    const rows = await runOn<Row>(client, ...input);
    isBroken = false;
    return rows;
  } finally {
    client.release(isBroken);
  }
};

/** Runs statements on connections of a pool that has a pipeline. Throws what `translateError` makes of the database's errors. */
export const runnerOn = (pool: Pool): Runner => {
  const together = runningTogether(pool);
  return {
    query: async <Row extends readonly unknown[]>(...[statement, values]: Parameters<Runner['query']>) => {
      try {
        return await (statement.isBrief ? together<Row>(statement, values) : runAlone<Row>(pool, statement, values));
      } catch (error) {
        throw translateError(error);
      }
    },
  };
};

interface WaitingLookUp<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers look-ups into batches: those of one turn of the event loop, and those that arrive while an earlier batch is under
 * way. A busy service therefore sends fewer statements. `load` gets only keys that were asked for before it is called, so
 * each answer is as fresh as if it had been looked up alone, and returns the values in the order of the keys. If it fails,
 * all look-ups of the batch fail. If it does not answer within `waitMs` milliseconds, the next batch is sent without
 * waiting for it.
 */
export const batched = <Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  waitMs: number = BATCH_WAIT_MS,
) => {
  let waiting: WaitingLookUp<Key, Value>[] = [];
  let isHeld = false;
  const send = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const values = await load(batch.map(({ key }) => key));
      for (const [at, { resolve }] of batch.entries()) resolve(values[at] as Value);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const sendSoon = (): void => {
    isHeld = true;
    setImmediate(() => {
      let isOver = false;
      const sendNext = (): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        isHeld = false;
        if (waiting.length > 0) sendSoon();
      };
      const timer = setTimeout(sendNext, waitMs);
      void send().finally(sendNext);
    });
  };
  return (key: Key): Promise<Value> =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === MAX_BATCH_SIZE) void send();
      else if (!isHeld) sendSoon();
    });
};
