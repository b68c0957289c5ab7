import { isDomainError } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import type { RunTransaction, Transaction } from '../connection/transaction.ts';

/** Milliseconds for which a refused write counts, unless a later transaction writes. */
const REFUSAL_LIFETIME_MS = 60_000;

/** SQLSTATEs of a database that refuses writes: read-only, or disk full. */
const REFUSED_WRITE = /SQLSTATE (25006|53100)/;
const READ_ONLY_SQL_TRANSACTION = '25006';

const refusalOf = (error: unknown): string | undefined =>
  isDomainError(error) ? REFUSED_WRITE.exec(String(error.cause))?.[1] : undefined;

/** Remembers the outcome of the latest write: only a write shows whether the disk is full. `now` returns milliseconds. */
export const makeWriteOutcomes = (now: () => number = () => performance.now()) => {
  let refusal: { readonly sqlState: string; readonly at: number } | undefined;
  const onError = (error: unknown): never => {
    const sqlState = refusalOf(error);
    if (sqlState !== undefined) refusal = { sqlState, at: now() };
    throw error;
  };
  const isReadOnly = (): boolean => refusal?.sqlState === READ_ONLY_SQL_TRANSACTION;
  return {
    /**
     * False if the latest write was refused because the database is read-only or full. A refusal counts for at most a minute,
     * so that a database with few writes does not stay marked.
     */
    acceptsWrites: () => refusal === undefined || now() - refusal.at >= REFUSAL_LIFETIME_MS,
    /** Whether the latest write was refused because the database is read-only. */
    isReadOnly,
    /** Forgets that the database was read-only, because a session that began later is not. The disk may still be full. */
    onWritableSession: (): void => {
      if (isReadOnly()) refusal = undefined;
    },
    watchTransactions:
      (runTransaction: RunTransaction): RunTransaction =>
      async (work) => {
        let hasWritten = false;
        const watched = (tx: Transaction) =>
          work({
            query: (statement, values) => {
              hasWritten ||= statement.isReadOnly !== true;
              return tx.query(statement, values);
            },
            send: (statement, values) => {
              hasWritten = true;
              tx.send(statement, values);
            },
          });
        const result = await runTransaction(watched).catch(onError);
        if (hasWritten) refusal = undefined;
        return result;
      },
    /** Observes only refusals: a statement that succeeds has not necessarily written. */
    watchStatements: (runner: Runner): Runner => ({
      query: (statement, values) => runner.query<never>(statement, values).catch(onError),
    }),
  };
};

/** Observes the outcomes of writes. */
export type WriteOutcomes = ReturnType<typeof makeWriteOutcomes>;
