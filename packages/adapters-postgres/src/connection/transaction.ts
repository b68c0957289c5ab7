import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { isConnectionLost, isWorthRetrying, translateError } from './errors.ts';
import { streamOf } from './pool.ts';
import { type Runner, runOn, type Statement } from './statement.ts';

/** How often a transaction runs that the server rolls back for the sake of another one. */
const MAX_ATTEMPTS = 5;

/** Commands for which Kysely wants the number of rows. */
const WRITE_COMMANDS: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection that is taken from the pool, and the transaction on it. */
interface PooledConnection extends DatabaseConnection, Runner {
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

/** Whether a connection of Kysely was lent by `lendConnection`. */
const isPooledConnection = (connection: DatabaseConnection): connection is PooledConnection => 'causeOf' in connection;

/** Wraps a connection of a pipelined pool for one use. */
const lendConnection = (client: PoolClient): PooledConnection => {
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
      return WRITE_COMMANDS.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
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

const makeDriver = (pool: Pool): Driver => {
  const sql = new PostgresDriver({ pool });
  return {
    init: async () => {},
    acquireConnection: async () => lendConnection(await pool.connect()),
    // MikroORM runs its transaction as soon as this resolves: BEGIN goes along with the first statement.
    beginTransaction: async (connection: PooledConnection, settings) =>
      connection.begin(() => sql.beginTransaction(connection, settings)),
    commitTransaction: (connection: PooledConnection) => connection.commit(),
    rollbackTransaction: (connection: PooledConnection) => connection.rollback(),
    savepoint: (...savepoint) => sql.savepoint(...savepoint),
    rollbackToSavepoint: (...savepoint) => sql.rollbackToSavepoint(...savepoint),
    releaseSavepoint: (...savepoint) => sql.releaseSavepoint(...savepoint),
    releaseConnection: async (connection: PooledConnection) => connection.release(),
    // The pool belongs to its maker.
    destroy: async () => {},
  };
};

/**
 * Kysely's PostgreSQL dialect on a pool of our own. Kysely's driver would wait for BEGIN, and would keep a connection for
 * ever whose COMMIT and ROLLBACK both fail: as many outages as the pool has connections would exhaust it (decision 19).
 */
export const makeDialect = (pool: Pool): Dialect => ({
  createDriver: () => makeDriver(pool),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});

/** One transaction on one connection. */
export interface Transaction extends Runner {
  /** The unit of work of the transaction. It is flushed before the commit. */
  readonly em: EntityManager;
  /**
   * Runs a statement. If the first one is flagged `isReadOnly`, it goes along with BEGIN; any other one waits until the
   * transaction has begun.
   */
  query: Runner['query'];
  /**
   * Sends a statement whose rows are not needed, without waiting for its end: the next ones follow on the same trip. If it
   * fails, the transaction fails with its error.
   *
   * @throws Error before the first statement was awaited: the transaction may not have begun.
   */
  send: PooledConnection['send'];
}

/**
 * Runs `work` in a transaction and commits; what it throws rolls back. When the database gives the transaction up for
 * another one's sake, `work` runs again. A commit that was not answered is `unavailable` and not tried again, for it
 * may have happened.
 */
export type InTransaction = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

const connectionOf = async (em: EntityManager): Promise<PooledConnection> => {
  const connection = await em
    .getKysely()
    .getExecutor()
    .provideConnection(async (provided) => provided);
  if (!isPooledConnection(connection)) throw new Error('the ORM does not run on the dialect of this package');
  return connection;
};

/** Transactions of the ORM, with statements that share trips. */
export const makeInTransaction = (orm: MikroORM): InTransaction => {
  const attempt = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    orm.em.transactional(async (em) => {
      const connection = await connectionOf(em);
      try {
        return await work({
          em,
          query: (statement, values) => connection.query(statement, values),
          send: (statement, values) => connection.send(statement, values),
        });
      } catch (error) {
        // What comes after a failed statement fails only because it came too late.
        throw await connection.causeOf(error);
      }
    });
  return async (work) => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(work);
      } catch (error) {
        if (attempts === MAX_ATTEMPTS || !isWorthRetrying(error)) throw translateError(error);
        await sleep(Math.random() * 10 * attempts);
      }
    }
  };
};
