import { setTimeout as sleep } from 'node:timers/promises';
import { type Author, makeFairQueue, type Origin, type Timers, type Tracer, unavailable } from '@chapter/domain/ports';
import type { PoolClient } from 'pg';
import { explainFailure } from './checked-client.ts';
import { isConnectionLost, isWorthRetrying, translateError } from './errors.ts';
import { acquireTimeoutOf, type ConnectionOptions, poolSizeOf } from './options.ts';
import type { HostPool } from './pool.ts';
import { committing, streamOf } from './silence.ts';
import { type Runner, runOn, type Statement } from './statement.ts';
import { BEGIN_SNAPSHOT } from './unpooled-clients.ts';

/** How transactions begin, and how often one is tried that the server rolls back because of concurrent ones. */
interface Kind {
  /** Undefined if the transaction is one statement, which the server commits at its end. */
  readonly begin: string | undefined;
  readonly maxAttempts: number;
  /** Whether a COMMIT without a response may have changed something. */
  readonly writes: boolean;
}

/** Transactions that write. */
export const WRITING: Kind = { begin: 'begin', maxAttempts: 5, writes: true };

/** Transactions of one statement, which writes. */
export const ALONE: Kind = { ...WRITING, begin: undefined };

/** Transactions that read one snapshot. Where one fails, the caller reads from another server. */
export const READING: Kind = { begin: BEGIN_SNAPSHOT, maxAttempts: 1, writes: false };

/** One transaction on one connection. */
export interface Transaction extends Runner {
  /**
   * Runs a statement. If the first statement of the transaction is flagged `isReadOnly`, it is sent together with
   * BEGIN; any other first statement waits until the transaction has begun.
   */
  query: Runner['query'];
  /**
   * Sends a statement without waiting for the response, and discards its rows. The following statements share its round
   * trip. If it fails, the transaction fails with its error.
   *
   * @throws Error if no statement was awaited before: the transaction may not have begun.
   */
  send(statement: Statement, values: readonly unknown[]): void;
}

/** Sends BEGIN on a connection of a pipelined pool, without waiting for the response. */
const beginOn = (client: PoolClient, { begin: beginText, writes }: Kind) => {
  const sent: Promise<unknown>[] = [];
  let hasBegun = false;
  let isBroken = false;
  const stream = streamOf(client);
  let isGathering = false;
  /** Sends the statements of this turn of the event loop with one system call: calls cost more time than statements. */
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
    stream.cork();
    process.nextTick(() => {
      isGathering = false;
      stream.uncork();
    });
  };
  const track = <T>(running: Promise<T>): Promise<T> => {
    running.catch(() => {});
    sent.push(running);
    return running;
  };
  const begin = async (): Promise<void> => {
    if (beginText !== undefined) await client.query(beginText);
    hasBegun = true;
  };
  const firstFailure = async (): Promise<{ readonly reason: unknown } | undefined> =>
    (await Promise.allSettled(sent)).find((outcome) => outcome.status === 'rejected');

  gather();
  const beginning = track(begin());
  const tx: Transaction = {
    query: async (statement, values) => {
      // BEGIN may fail, and then the statement runs outside of a transaction. So only a read-only one is sent with BEGIN.
      if (!statement.isReadOnly) await beginning;
      if (beginText === undefined) committing.add(client);
      const [rows] = await Promise.all([runOn<never>(client, statement, values), beginning]);
      return rows;
    },
    send: (statement, values) => {
      if (!hasBegun) throw new Error('await a statement of the transaction before sending one');
      gather();
      void track(runOn(client, statement, values));
    },
  };
  return {
    tx,
    commit: async (): Promise<void> => {
      if (beginText === undefined) return;
      gather();
      if (writes) committing.add(client);
      const commit = track(client.query('commit'));
      const failure = await firstFailure();
      if (failure) throw failure.reason;
      // PostgreSQL responds to COMMIT of a failed transaction with ROLLBACK, without an error.
      if ((await commit).command !== 'COMMIT') throw new Error('the transaction was rolled back');
    },
    /** Never rejects. If the rollback fails or the server is read-only, `release` closes the connection. */
    rollback: async (): Promise<void> => {
      await client.query('rollback').catch(() => {
        isBroken = true;
      });
    },
    release: (): void => client.release(isBroken),
    /** Returns why it failed: the error of the first sent statement that failed, otherwise `last`. */
    causeOf: async (last: unknown): Promise<unknown> => {
      const failure = await firstFailure();
      const cause = explainFailure(client, failure ? failure.reason : last);
      isBroken ||= isConnectionLost(cause);
      return cause;
    },
  };
};

/**
 * Runs `work` in a transaction and commits; if `work` throws, rolls back. Runs `work` again if the database rolled the
 * transaction back because of a concurrent one. A COMMIT without a response throws `unavailable` and is not retried,
 * because it may have succeeded.
 */
export type RunTransaction = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * The ids of the rows that a transaction locks: that of its author, or the kind of work if the author is unknown, and
 * that of its target. Then the request, whose place others may take while the transaction waits for its turn.
 */
export type LockedRows = readonly [author: string, target: string, origin?: Origin | undefined];

/** Does the same in turn with the other transactions. */
export type InTransaction = <T>(rows: LockedRows, work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Returns the rows that a transaction locks if it changes a target in the name of an author. */
export const rowsOf = ({ origin, userId }: Author, target: string): LockedRows => [userId ?? target, target, origin];

/** Makes transactions whose statements share round trips. The pool counts repetitions; the tracer gets an event each. */
export const makeRunTransaction = (pool: HostPool, tracer?: Tracer, kind: Kind = WRITING): RunTransaction => {
  const attempt = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const transaction = beginOn(await pool.connect(), kind);
    try {
      const result = await work(transaction.tx);
      await transaction.commit();
      return result;
    } catch (error) {
      // A statement that was sent without waiting may have failed first; then the later errors only follow from it.
      const cause = await transaction.causeOf(error);
      await transaction.rollback();
      throw cause;
    } finally {
      transaction.release();
    }
  };
  return async (work) => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(work);
      } catch (error) {
        if (attempts === kind.maxAttempts || !isWorthRetrying(error)) throw translateError(error);
        pool.incidents.repeated += 1;
        tracer?.event('the transaction is repeated');
        await sleep(Math.random() * 10 * attempts);
      }
    }
  };
};

/** The timers of Node. */
export const timers: Timers = {
  now: () => performance.now(),
  start: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Returns a runner of statements that may wait for the locks of these rows, or for a standby to confirm their commit. */
export type RunnerFor = (rows: LockedRows) => Runner;

/** Wraps the work of a transaction: fails before the COMMIT if its request has been given up. */
const inTime =
  <T>(work: (tx: Transaction) => Promise<T>, origin: Origin | undefined) =>
  async (tx: Transaction): Promise<T> => {
    const result = await work(tx);
    if (origin?.isAbandoned?.()) throw unavailable();
    return result;
  };

/**
 * Makes the queue of the transactions and of the statements that lock rows. Together they use at most half of the pool,
 * those of one author at most half of that, rounded up, and those of one target two connections. Those that wait for a
 * lock hold their connections, and others must get one. They wait for their turn as long as for a connection. A
 * transaction whose request has been given up before its COMMIT is rolled back.
 */
export const makeWriteQueue = (
  options: ConnectionOptions,
  pool: HostPool,
  runs: { readonly runTransaction: RunTransaction; readonly runStatement: RunTransaction; readonly runner: Runner },
) => {
  const maxRunning = Math.max(1, Math.floor(poolSizeOf(options) / 2));
  const maxPerAuthor = Math.ceil(maxRunning / 2);
  const limits = {
    maxRunning,
    maxPerKey: [maxPerAuthor, Math.min(2, maxPerAuthor)],
    // The callers limit how many requests run, and each waits here once at a time.
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: acquireTimeoutOf(options),
  };
  const { tracer } = options;
  const queue = makeFairQueue(limits, timers, tracer && ((wait) => tracer.span('wait', 'writes', wait)));
  const run: typeof queue.run = async (share, work, origin) => {
    if (pool.isSilent) throw pool.refuse();
    return queue.run(share, work, origin);
  };
  const inTransaction: InTransaction = ([author, target, origin], work) =>
    run([author, target], () => runs.runTransaction(inTime(work, origin)), origin);
  const inStatement: InTransaction = ([author, target], work) => run([author, target], () => runs.runStatement(work));
  const runnerFor: RunnerFor = ([author, target]) => ({
    query: (statement, values) => run([author, target], () => runs.runner.query<never>(statement, values)),
  });
  return { inTransaction, inStatement, runnerFor, use: queue.use };
};
