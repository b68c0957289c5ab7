import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { isConnectionLost, isWorthRetrying, translateError } from './errors.ts';
import { type Runner, runOn, type Statement } from './statement.ts';

/** One transaction on one connection: statements, and a unit of work that writes when it is flushed. */
export interface Transaction extends Runner {
  readonly em: EntityManager;
  /**
   * Runs a statement. The first one goes along with BEGIN and must change nothing, for BEGIN may fail: then this fails as
   * well, but the statement has run.
   */
  query: Runner['query'];
  /**
   * Sends a statement that gives nothing back, without waiting for its end: the next ones follow on the same trip. Where it
   * fails, the transaction fails with its error. Something must have been asked before.
   */
  send(statement: Statement, values: readonly unknown[]): void;
}

/**
 * Runs `work` in a transaction and commits; what it throws rolls back. When the database gives the transaction up for
 * another one's sake, `work` runs again. A commit that was not answered is `unavailable` and not tried again, for it
 * may have happened.
 */
export type InTransaction = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

const TRIES = 5;
/** How the transaction began that runs on a connection. */
const beginnings = new WeakMap<PoolClient, Promise<unknown>>();
const contexts = new WeakMap<PoolClient, KyselyTransaction<unknown>>();

/** What the unit of work takes for its transaction: this connection, which it neither begins, commits nor releases. */
const contextOf = (client: PoolClient): KyselyTransaction<unknown> => {
  const known = contexts.get(client);
  if (known) return known;
  const lent = { query: client.query.bind(client), release: () => {} };
  const connect = () => beginnings.get(client)?.then(() => lent);
  const pool = { connect, end: () => Promise.resolve() } as unknown as Pool;
  const context = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }) as KyselyTransaction<unknown>;
  contexts.set(client, context);
  return context;
};

/** A transaction on a connection, to which BEGIN was sent and may not have been answered. */
const begin = (orm: MikroORM, client: PoolClient, sent: Promise<unknown>[]): Transaction => {
  let hasBegun = false;
  const later = (running: Promise<unknown>): void => {
    running.catch(() => {});
    sent.push(running);
  };
  const beginning = client.query('begin').then(() => (hasBegun = true));
  later(beginning);
  beginnings.set(client, beginning);
  let forked: EntityManager | undefined;
  const fork = (): EntityManager => {
    forked = orm.em.fork();
    forked.setTransactionContext(contextOf(client));
    return forked;
  };
  return {
    get em() {
      return forked ?? fork();
    },
    query: async (statement, values) => {
      const running = runOn<never>(client, statement, values);
      const [rows] = await Promise.all([running, beginning]);
      return rows;
    },
    send: (statement, values) => {
      if (!hasBegun) throw new Error('nothing is sent before something was asked');
      later(runOn(client, statement, values));
    },
  };
};

/** Why a transaction failed: what failed after a statement that nobody waited for says only that it came too late. */
const causeOf = async (sent: readonly Promise<unknown>[], last: unknown): Promise<unknown> => {
  for (const outcome of await Promise.allSettled(sent)) if (outcome.status === 'rejected') return outcome.reason;
  return last;
};

/**
 * Transactions on the connections of the ORM's pool. Its own would not give a connection back when the server goes away
 * in the middle: ten outages, and a pool of ten is empty.
 */
export const makeInTransaction = (orm: MikroORM, pool: Pool): InTransaction => {
  const attempt = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    const sent: Promise<unknown>[] = [];
    let lost = false;
    try {
      const result = await work(begin(orm, client, sent));
      const commit = client.query('commit');
      await Promise.all([...sent, commit]);
      // A transaction with an error in it ends with ROLLBACK, without another error, whatever is asked for.
      if ((await commit).command !== 'COMMIT') throw new Error('the transaction was rolled back');
      return result;
    } catch (error) {
      const cause = await causeOf(sent, error);
      lost = isConnectionLost(cause) || !(await client.query('rollback').then(Boolean, () => false));
      throw cause;
    } finally {
      client.release(lost);
    }
  };
  return async (work) => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(work);
      } catch (error) {
        if (tries === TRIES || !isWorthRetrying(error)) throw translateError(error);
        await sleep(Math.random() * 10 * tries);
      }
    }
  };
};
