import { isDomainError } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import type { InTransaction, Transaction } from '../connection/transaction.ts';

/** Milliseconds for which a refused write counts, unless a later transaction writes. */
const REFUSAL_LIFETIME_MS = 60_000;

/** SQLSTATEs of a database that refuses writes: read-only, or disk full. */
const REFUSED_WRITE = /SQLSTATE (?:25006|53100)/;

const isRefusedWrite = (error: unknown): boolean => isDomainError(error) && REFUSED_WRITE.test(String(error.cause));

/** Observes the outcomes of writes. */
export interface WriteOutcomes {
  /**
   * False if the latest write was refused because the database is read-only or full. A refusal counts for at most a minute,
   * so that a database with few writes does not stay marked.
   */
  readonly acceptsWrites: () => boolean;
  readonly watchTransactions: (inTransaction: InTransaction) => InTransaction;
  /** Observes only refusals: a statement that succeeds has not necessarily written. */
  readonly watchStatements: (runner: Runner) => Runner;
}

/** Remembers the outcome of the latest write: only a write shows whether the disk is full. `now` returns milliseconds. */
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
          em: () => tx.em(),
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
