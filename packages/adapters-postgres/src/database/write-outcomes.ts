import { isDomainError } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import type { InTransaction, Transaction } from '../connection/transaction.ts';

/** Milliseconds for which a refused write counts where no transaction has written since. */
const REFUSAL_LIFETIME_MS = 60_000;

/** SQLSTATEs of a database that takes no writes: read-only, or without space on its disk. */
const REFUSED_WRITE = /SQLSTATE (?:25006|53100)/;

const isRefusedWrite = (error: unknown): boolean => isDomainError(error) && REFUSED_WRITE.test(String(error.cause));

/** Observes how writes end. */
export interface WriteOutcomes {
  /**
   * Whether the latest write was not refused because the database is read-only or full. A refusal counts for a minute at
   * most, so that a database that is written to seldom recovers without a write.
   */
  readonly acceptsWrites: () => boolean;
  readonly watchTransactions: (inTransaction: InTransaction) => InTransaction;
  /** Observes refusals only: that a statement succeeds does not mean that it has written. */
  readonly watchStatements: (runner: Runner) => Runner;
}

/** Remembers how the latest write ended, because only a write tells whether a disk is full. `now` is in milliseconds. */
export const makeWriteOutcomes = (now: () => number = () => performance.now()): WriteOutcomes => {
  let refusedAt: number | undefined;
  const onError = (error: unknown): never => {
    if (isRefusedWrite(error)) refusedAt = now();
    throw error;
  };
  return {
    acceptsWrites: () => refusedAt === undefined || now() - refusedAt >= REFUSAL_LIFETIME_MS,
    watchTransactions: (inTransaction) => async (work) => {
      let hasWritten = false;
      const watched = (tx: Transaction) =>
        work({
          em: tx.em,
          query: (statement, values) => {
            hasWritten ||= statement.isReadOnly !== true;
            return tx.query(statement, values);
          },
          send: (statement, values) => {
            hasWritten = true;
            tx.send(statement, values);
          },
        });
      const result = await inTransaction(watched).catch(onError);
      if (hasWritten) refusedAt = undefined;
      return result;
    },
    watchStatements: (runner) => ({
      query: (statement, values) => runner.query<never>(statement, values).catch(onError),
    }),
  };
};
