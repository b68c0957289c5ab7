import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { isWorthRetrying, translateError } from './errors.ts';
import { isPooledConnection, type PooledConnection } from './pooled-connection.ts';
import type { Runner } from './statement.ts';

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

const MAX_ATTEMPTS = 5;

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
