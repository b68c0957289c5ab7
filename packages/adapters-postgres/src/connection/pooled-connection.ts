import type { DatabaseConnection, QueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { isConnectionLost } from './errors.ts';
import { streamOf } from './pool.ts';
import { type Runner, runOn, type Statement } from './statement.ts';

/** A connection that is taken from the pool, and the transaction on it. */
export interface PooledConnection extends DatabaseConnection, Runner {
  /** Sends a statement without waiting for its end. If it fails, the transaction fails with its error. */
  send(statement: Statement, values: readonly unknown[]): void;
  /** Begins a transaction and does not wait until it has begun. */
  begin(sendBegin: () => Promise<void>): void;
  commit(): Promise<void>;
  /** Never rejects: a connection that cannot roll back is closed when it is released, and so is one to a read-only server. */
  rollback(): Promise<void>;
  release(): void;
  /** Returns why a transaction failed: the error of the first failed statement that was not waited for, or `last`. */
  causeOf(last: unknown): Promise<unknown>;
}

/** Whether a connection of Kysely is one of {@link lendConnection}. */
export const isPooledConnection = (connection: DatabaseConnection): connection is PooledConnection =>
  'causeOf' in connection;

const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Wraps a connection of a pipelined pool for one use. */
export const lendConnection = (client: PoolClient): PooledConnection => {
  const sent: Promise<unknown>[] = [];
  let beginning: Promise<void> | undefined;
  let hasBegun = false;
  let isBroken = false;
  const stream = streamOf(client);
  let isGathering = false;
  /** Sends what this turn of the event loop writes by one system call: calls cost more than the statements. */
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
    stream.cork();
    process.nextTick(() => {
      isGathering = false;
      stream.uncork();
    });
  };
  const sendLater = (running: Promise<unknown>): void => {
    running.catch(() => {});
    sent.push(running);
  };
  const firstFailure = async (): Promise<{ readonly reason: unknown } | undefined> =>
    (await Promise.allSettled(sent)).find((outcome) => outcome.status === 'rejected');

  return {
    executeQuery: async <R>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
      if (beginning) await beginning;
      const { command, rowCount, rows } = await client.query(sql, [...parameters]);
      const result: QueryResult<R> = { rows: rows as R[] };
      return WRITES.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
    },
    streamQuery: () => {
      throw new Error('a pipelined connection cannot stream rows');
    },
    query: async (statement, values) => {
      // BEGIN may fail. Only a statement that changes nothing may have run then.
      if (!statement.isReadOnly) await beginning;
      const [rows] = await Promise.all([runOn<never>(client, statement, values), beginning]);
      return rows;
    },
    send: (statement, values) => {
      if (!hasBegun) throw new Error('await a statement of the transaction before sending one');
      gather();
      sendLater(runOn(client, statement, values));
    },
    begin: (sendBegin) => {
      gather();
      const running = async (): Promise<void> => {
        await sendBegin();
        hasBegun = true;
      };
      beginning = running();
      sendLater(beginning);
    },
    commit: async () => {
      gather();
      const commit = client.query('commit');
      sendLater(commit);
      const failure = await firstFailure();
      if (failure) throw failure.reason;
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and without an error.
      if ((await commit).command !== 'COMMIT') throw new Error('the transaction was rolled back');
    },
    rollback: async () => {
      await client.query('rollback').catch(() => {
        isBroken = true;
      });
    },
    release: () => client.release(isBroken),
    causeOf: async (last) => {
      const failure = await firstFailure();
      const cause = failure ? failure.reason : last;
      isBroken ||= isConnectionLost(cause);
      return cause;
    },
  };
};
