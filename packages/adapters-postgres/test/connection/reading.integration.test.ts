import { expectRefusal } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeRunTransaction, READING, type Transaction } from '../../src/connection/transaction.ts';
import { useConnections } from '../support/use-connections.ts';

describe('A transaction that only reads', () => {
  const { network, open } = useConnections();
  const read = (work: (tx: Transaction) => Promise<unknown>) =>
    makeRunTransaction(open({ requestDeadlineMs: 1000 }), undefined, READING)(work);

  it('is given up if the server falls silent before its COMMIT', async () => {
    const silenced = read(async (tx) => {
      await tx.query({ text: 'select', isReadOnly: true }, []);
      network().hang();
    });
    await expectRefusal('unavailable', silenced);
    network().mend();
  });

  it('runs once, also if the server refuses it because of its replay', async () => {
    let attempts = 0;
    const refused = read(async (tx) => {
      attempts += 1;
      await tx.query({ text: `do $$ begin raise sqlstate '40001'; end $$` }, []);
    });
    await expectRefusal('unavailable', refused);
    expect(attempts).to.equal(1);
  });
});
