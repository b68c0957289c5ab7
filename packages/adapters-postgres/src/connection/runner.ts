import type { Pool, PoolClient } from 'pg';
import { isOutage, translateError } from './errors.ts';
import { streamOf } from './silence.ts';
import { type Runner, runOn } from './statement.ts';

/** How many brief statements share one round trip. The last one waits for all others. */
const MAX_STATEMENTS_PER_TRIP = 4;

/** How many look-ups share one statement. */
const MAX_LOOK_UPS_PER_STATEMENT = 500;

/** How long later look-ups wait for a running batch, in milliseconds: a broken connection may be silent for much longer. */
const BATCH_WAIT_MS = 20;

interface WaitingStatement {
  readonly run: (client: PoolClient) => Promise<unknown>;
  readonly reject: (error: unknown) => void;
}

const runOnOneConnection = async (pool: Pool, statements: readonly WaitingStatement[]): Promise<void> => {
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    for (const { reject } of statements) reject(error);
    return;
  }
  const stream = streamOf(client);
  stream.cork();
  const running = statements.map(async ({ run }) => {
    try {
      await run(client);
    } catch (error) {
      // The later statements on this connection have waited just as long; do not let each wait for its own timeout.
      if (isOutage(error)) stream.destroy();
      throw error;
    }
  });
  stream.uncork();
  const ends = await Promise.allSettled(running);
  client.release(ends.some(({ status }) => status === 'rejected'));
};

/**
 * Makes the function that runs brief statements. Statements of one turn of the event loop share connections. Each
 * connection sends its statements at once, which costs client and server less than a round trip for each. Each statement
 * succeeds or fails on its own. But if the server cancels one or goes away, the later ones on the connection fail too.
 */
const makeRunTogether = (pool: Pool): Runner['query'] => {
  let waiting: WaitingStatement[] = [];
  const runAll = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MAX_STATEMENTS_PER_TRIP) {
      void runOnOneConnection(pool, all.slice(at, at + MAX_STATEMENTS_PER_TRIP));
    }
  };
  return <Row extends readonly unknown[]>(...input: Parameters<Runner['query']>) =>
    new Promise<readonly Row[]>((resolve, reject) => {
      const run = (client: PoolClient): Promise<unknown> => {
        const running = runOn<Row>(client, ...input);
        resolve(running);
        return running;
      };
      waiting.push({ run, reject });
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

/** Runs statements on a pipelined pool. Translates errors with `translateError`. */
export const runnerOn = (pool: Pool): Runner => {
  const runTogether = makeRunTogether(pool);
  return {
    query: async <Row extends readonly unknown[]>(...[statement, values]: Parameters<Runner['query']>) => {
      try {
        return await (statement.canShareConnection
          ? runTogether<Row>(statement, values)
          : runAlone<Row>(pool, statement, values));
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
 * Gathers look-ups into batches, so that a busy service sends fewer statements. A batch contains the look-ups of one
 * turn of the event loop, or those that arrive while an earlier batch is running. `load` is called after all look-ups
 * of its batch were requested, so each value is as fresh as from a statement of its own. `load` returns the values in
 * the order of the keys; if it fails, all look-ups of the batch fail. If it takes longer than `waitMs` milliseconds,
 * the next batch does not wait for it.
 */
export const batched = <Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  waitMs: number = BATCH_WAIT_MS,
) => {
  let waiting: WaitingLookUp<Key, Value>[] = [];
  let isWaiting = false;
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
    isWaiting = true;
    setImmediate(() => {
      let isOver = false;
      const sendNext = (): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        isWaiting = false;
        if (waiting.length > 0) sendSoon();
      };
      const timer = setTimeout(sendNext, waitMs);
      void send().finally(sendNext);
    });
  };
  return (key: Key): Promise<Value> =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === MAX_LOOK_UPS_PER_STATEMENT) void send();
      else if (!isWaiting) sendSoon();
    });
};
