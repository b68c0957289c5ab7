import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
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

/** Maximum number of attempts at a transaction that the server rolls back because of concurrent ones. */
const MAX_ATTEMPTS = 5;

/** Commands for which Kysely expects the number of rows. */
const WRITE_COMMANDS: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection taken from the pool, with the transaction on it. */
interface PooledConnection extends DatabaseConnection, Runner {
  /** Sends a statement without waiting for the response. If it fails, the transaction fails with its error. */
  send(statement: Statement, values: readonly unknown[]): void;
  /** Sends BEGIN without waiting for the response. */
  begin(sendBegin: () => Promise<void>): void;
  commit(): Promise<void>;
  /** Never rejects. If the rollback fails or the server is read-only, `release` closes the connection. */
  rollback(): Promise<void>;
  release(): void;
  /** Returns why a transaction failed: the error of the first sent statement that failed, otherwise `last`. */
  causeOf(last: unknown): Promise<unknown>;
}

/** Wraps a connection of a pipelined pool for one use. */
const lendConnection = (client: PoolClient): PooledConnection => {
  const sent: Promise<unknown>[] = [];
  let beginning: Promise<void> | undefined;
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
  const track = (running: Promise<unknown>): void => {
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
      // BEGIN may fail, and then the statement runs outside of a transaction. So only a read-only one is sent with BEGIN.
      if (!statement.isReadOnly) await beginning;
      const [rows] = await Promise.all([runOn<never>(client, statement, values), beginning]);
      return rows;
    },
    send: (statement, values) => {
      if (!hasBegun) throw new Error('await a statement of the transaction before sending one');
      gather();
      track(runOn(client, statement, values));
    },
    begin: (sendBegin) => {
      gather();
      const running = async (): Promise<void> => {
        await sendBegin();
        hasBegun = true;
      };
      beginning = running();
      track(beginning);
    },
    commit: async () => {
      gather();
      const commit = client.query('commit');
      track(commit);
      const failure = await firstFailure();
      if (failure) throw failure.reason;
      // PostgreSQL responds to COMMIT of a failed transaction with ROLLBACK, without an error.
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
    // MikroORM runs the work as soon as this resolves, so the first statement is sent together with BEGIN.
    beginTransaction: async (connection: PooledConnection, settings) =>
      connection.begin(() => sql.beginTransaction(connection, settings)),
    commitTransaction: (connection: PooledConnection) => connection.commit(),
    rollbackTransaction: (connection: PooledConnection) => connection.rollback(),
    savepoint: (...savepoint) => sql.savepoint(...savepoint),
    rollbackToSavepoint: (...savepoint) => sql.rollbackToSavepoint(...savepoint),
    releaseSavepoint: (...savepoint) => sql.releaseSavepoint(...savepoint),
    releaseConnection: async (connection: PooledConnection) => connection.release(),
    // The caller that made the pool ends it.
    destroy: async () => {},
  };
};

const dialectOn = (driver: Driver): Dialect => ({
  createDriver: () => driver,
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});

/**
 * Kysely's PostgreSQL dialect on this package's pool. Kysely's own driver would wait for BEGIN. It would also keep a
 * connection forever if both COMMIT and ROLLBACK fail, so that repeated outages exhaust the pool
 * (docs/decisions/0019).
 */
export const makeDialect = (pool: Pool): Dialect => dialectOn(makeDriver(pool));

/** One transaction on one connection. */
export interface Transaction extends Runner {
  /** Returns the unit of work of the transaction. It is flushed before the commit. */
  em(): Promise<EntityManager>;
  /**
   * Runs a statement. If the first statement of the transaction is flagged `isReadOnly`, it is sent together with BEGIN;
   * any other first statement waits until the transaction has begun.
   */
  query: Runner['query'];
  /**
   * Sends a statement without waiting for the response, and discards its rows. The following statements share its round
   * trip. If it fails, the transaction fails with its error.
   *
   * @throws Error if no statement was awaited before: the transaction may not have begun.
   */
  send: PooledConnection['send'];
}

/**
 * Runs `work` in a transaction and commits; if `work` throws, rolls back. Runs `work` again if the database rolled the
 * transaction back because of a concurrent one. A COMMIT without a response throws `unavailable` and is not retried,
 * because it may have succeeded.
 */
export type InTransaction = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * Makes transactions whose statements share round trips. Their units of work are forks of `orm`. The transaction objects of the
 * ORM and of Kysely cost CPU time, so they are made only for a unit of work (docs/decisions/0019).
 */
export const makeInTransaction = (orm: MikroORM, pool: Pool): InTransaction => {
  const driver = makeDriver(pool);
  /** Makes a unit of work in a transaction that has begun. */
  const forkOn = async (connection: PooledConnection): Promise<EntityManager> => {
    const driverInTransaction: Driver = {
      ...driver,
      acquireConnection: async () => connection,
      beginTransaction: async () => {},
    };
    const kysely = new Kysely<unknown>({ dialect: dialectOn(driverInTransaction) });
    const em = orm.em.fork();
    em.setTransactionContext(await kysely.startTransaction().execute());
    return em;
  };
  const attempt = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    const connection = lendConnection(client);
    let em: Promise<EntityManager> | undefined;
    try {
      connection.begin(async () => {
        await client.query('begin');
      });
      const result = await work({
        em: () => {
          em ??= forkOn(connection);
          return em;
        },
        query: (statement, values) => connection.query(statement, values),
        send: (statement, values) => connection.send(statement, values),
      });
      if (em) await (await em).flush();
      await connection.commit();
      return result;
    } catch (error) {
      // A statement that was sent without waiting may have failed first; then the later errors only follow from it.
      const cause = await connection.causeOf(error);
      await connection.rollback();
      throw cause;
    } finally {
      connection.release();
    }
  };
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
