import { DomainError, notFound, unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import type { Statement } from '../../src/connection/statement.ts';
import type { RunTransaction, Transaction } from '../../src/connection/transaction.ts';
import { makeWriteOutcomes, type WriteOutcomes } from '../../src/database/health.ts';

const refusal = (sqlState: string): DomainError =>
  unavailable(new Error(`the database refused a statement (SQLSTATE ${sqlState})`));

describe('The outcome of the latest write', () => {
  let milliseconds: number;
  let outcomes: WriteOutcomes;
  beforeEach(() => {
    milliseconds = 0;
    outcomes = makeWriteOutcomes(() => milliseconds);
  });
  const settled = (failure?: Error): Promise<never> =>
    failure ? Promise.reject(failure) : (Promise.resolve() as never);
  /** Runs a write that ends with `failure`, and asserts that the caller gets the failure. */
  const endWith = async (failure: Error | undefined, run: () => Promise<unknown>): Promise<void> => {
    const [result] = await Promise.allSettled([run()]);
    expect(result.status === 'rejected' ? result.reason : undefined).to.equal(failure);
  };
  const transaction = (failure?: Error, statement: Statement = { text: 'insert' }): Promise<void> => {
    const tx = { query: () => Promise.resolve([]), send: () => {} } as unknown as Transaction;
    const runTransaction: RunTransaction = async (work) => {
      await work(tx);
      return settled(failure);
    };
    return endWith(failure, () =>
      outcomes.watchTransactions(runTransaction)((watched) => watched.query(statement, [])),
    );
  };
  const statement = (failure?: Error): Promise<void> =>
    endWith(failure, () => outcomes.watchStatements({ query: () => settled(failure) }).query({ text: '' }, []));

  it('is a refusal after an error of a read-only or full database, until a transaction has written', async () => {
    expect(outcomes.acceptsWrites()).to.equal(true);
    for (const write of [transaction, statement]) {
      for (const sqlState of ['25006', '53100']) {
        await write(refusal(sqlState));
        expect(outcomes.acceptsWrites()).to.equal(false);
        await statement();
        expect(outcomes.acceptsWrites(), 'after a statement that may have written nothing').to.equal(false);
        await transaction(undefined, { text: 'select', isReadOnly: true });
        expect(outcomes.acceptsWrites(), 'after a transaction that has written nothing').to.equal(false);
        await transaction();
        expect(outcomes.acceptsWrites()).to.equal(true);
      }
    }
  });

  it('is forgotten when a new session can write, unless the disk was full', async () => {
    for (const [sqlState, acceptsWrites] of [
      ['25006', true],
      ['53100', false],
    ] as const) {
      await transaction(refusal(sqlState));
      outcomes.onWritableSession();
      expect(outcomes.acceptsWrites()).to.equal(acceptsWrites);
    }
  });

  it('expires after a minute', async () => {
    await transaction(refusal('53100'));
    milliseconds = 59_999;
    expect(outcomes.acceptsWrites()).to.equal(false);
    milliseconds = 60_000;
    expect(outcomes.acceptsWrites()).to.equal(true);
  });

  it('is no refusal when a write fails for another reason', async () => {
    for (const error of [refusal('40001'), refusal('53300'), unavailable(), notFound(), new Error('SQLSTATE 53100')]) {
      await transaction(error);
      await statement(error);
      expect(outcomes.acceptsWrites()).to.equal(true);
    }
  });
});
