import type { Tracer } from '@chapter/domain/ports';
import type { Runner } from './statement.ts';
import type { RunTransaction } from './transaction.ts';

/** Lists have statements without a name, one for each shape of a list. */
const UNNAMED = 'list';

/** Makes a runner whose statements are parts of a trace; the same runner without a tracer. */
export const traceStatements = (runner: Runner, tracer: Tracer | undefined): Runner =>
  tracer
    ? {
        query: (statement, values) =>
          tracer.span('statement', statement.name ?? UNNAMED, () => runner.query<never>(statement, values)),
      }
    : runner;

/**
 * Makes transactions whose statements are parts of a trace. Nothing waits for statements that are sent, so each is an
 * event, and its time is that of the next one, and of the transaction.
 */
export const traceTransactions = (runTransaction: RunTransaction, tracer: Tracer | undefined): RunTransaction => {
  if (!tracer) return runTransaction;
  return (work) =>
    tracer.span('statement', 'transaction', () =>
      runTransaction((tx) => {
        const send: typeof tx.send = (statement, values) => {
          tracer.event(statement.name ?? UNNAMED);
          tx.send(statement, values);
        };
        return work({ ...traceStatements(tx, tracer), send });
      }),
    );
};
