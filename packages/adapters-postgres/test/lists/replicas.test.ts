import { tooCostly, unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import type { Runner } from '../../src/connection/statement.ts';
import type { Transaction } from '../../src/connection/transaction.ts';
import { readFromReplicas } from '../../src/lists/replicas.ts';

type Replica = Parameters<typeof readFromReplicas>[1][number];

describe('readFromReplicas', () => {
  let asked: string[];
  beforeEach(() => {
    asked = [];
  });

  /** A server that notes who asks it. As a replica, it says whether it has the latest change, or fails. */
  const named = (name: string, answer: boolean | Error = false): Runner => ({
    query: async <Row extends readonly unknown[]>() => {
      asked.push(name);
      if (answer instanceof Error) throw answer;
      return [[answer]] as unknown as readonly Row[];
    },
  });
  const replica = (...given: Parameters<typeof named>): Replica => ({
    name: given[0],
    transactions: (work) => work(named(...given) as Transaction),
  });
  const primary = named('primary');

  /** Reads a division some times. Returns the servers that were asked in each, the last one for the list itself. */
  const askedIn = async (times: number, ...replicas: readonly Replica[]): Promise<string> => {
    const { readFrom, reads } = readFromReplicas(primary, replicas);
    for (let time = 0; time < times; time += 1) {
      await readFrom('a division', (runner) => runner.query({ text: 'a list' }, []));
      asked.push('.');
    }
    return `${asked.join(' ')} ${JSON.stringify(reads())}`;
  };

  it('reads what is of no division from the primary', async () => {
    const { readFrom, reads } = readFromReplicas(primary, [replica('a', true)]);
    await readFrom(null, (runner) => runner.query({ text: 'a list' }, []));
    expect([...asked, reads()]).to.deep.equal(['primary', { primary: 0, a: 0 }]);
  });

  it('reads from the replicas in turn, and asks the primary only for the latest change', async () => {
    expect(await askedIn(3, replica('a', true), replica('b', true))).to.equal(
      'primary b b . primary a a . primary b b . {"primary":0,"a":1,"b":2}',
    );
  });

  it('reads from the next replica, at last from the primary, if one lacks the latest change or fails', async () => {
    for (const answer of [false, unavailable(), new Error('relation "audit_entry" does not exist')]) {
      asked = [];
      expect(await askedIn(1, replica('a', true), replica('b', answer))).to.equal(
        'primary b a a . {"primary":0,"a":1,"b":0}',
      );
      asked = [];
      expect(await askedIn(1, replica('a', answer), replica('b', answer))).to.equal(
        'primary b a primary . {"primary":1,"a":0,"b":0}',
      );
    }
  });

  it('repeats no list that is refused because of its cost', async () => {
    const { readFrom } = readFromReplicas(primary, [replica('a', true), replica('b', true)]);
    const refused = readFrom('a division', () => Promise.reject(tooCostly('it is too long')));
    expect(await refused.catch(String)).to.contain('it is too long');
    expect(asked).to.deep.equal(['primary', 'b']);
  });
});
