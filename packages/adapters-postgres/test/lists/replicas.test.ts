import { setImmediate } from 'node:timers/promises';
import { tooCostly, unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import type { Transaction } from '../../src/connection/transaction.ts';
import { readFromReplicas } from '../../src/lists/replicas.ts';

type Replica = Parameters<typeof readFromReplicas>[1][number];

describe('readFromReplicas', () => {
  let asked: string[];
  beforeEach(() => {
    asked = [];
  });

  /** A server that notes who asks it, and names its latest change, or fails. */
  const named = (name: string, latest: string | Error = 'old', isSettled = true, isStandby = name !== 'primary') => ({
    query: async <Row extends readonly unknown[]>() => {
      asked.push(name);
      if (latest instanceof Error) throw latest;
      return [[latest, isStandby, isSettled]] as unknown as readonly Row[];
    },
  });
  const replica = (...given: Parameters<typeof named>): Replica => ({
    name: given[0],
    transactions: (work) => work(named(...given) as unknown as Transaction),
  });
  const primary = named('primary', 'new');

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
    const { readFrom, reads } = readFromReplicas(primary, [replica('a', 'new')]);
    await readFrom(null, (runner) => runner.query({ text: 'a list' }, []));
    expect([...asked, reads()]).to.deep.equal(['primary', { primary: 0, a: 0 }]);
  });

  it('reads from the replicas in turn, and asks the primary only for the latest change', async () => {
    expect(await askedIn(3, replica('a', 'new'), replica('b', 'new'))).to.equal(
      'primary b b . primary a a . primary b b . {"primary":0,"a":1,"b":2}',
    );
  });

  it('reads from the next replica, at last from the primary, if one lacks the latest change or fails', async () => {
    for (const answer of ['old', unavailable(), new Error('relation "audit_entry" does not exist')]) {
      asked = [];
      expect(await askedIn(1, replica('a', 'new'), replica('b', answer))).to.equal(
        'primary b a a . {"primary":0,"a":1,"b":0}',
      );
      asked = [];
      expect(await askedIn(1, replica('a', answer), replica('b', answer))).to.equal(
        'primary b a primary . {"primary":1,"a":0,"b":0}',
      );
    }
  });

  it('reads from the primary if an earlier transaction may still end there or on the replica, or if that is no standby', async () => {
    for (const one of [replica('a', 'new', false), replica('a', 'new', true, false)]) {
      asked = [];
      expect(await askedIn(1, one)).to.equal('primary a primary . {"primary":1,"a":0}');
    }
    for (const unsettled of [named('primary', 'new', false), named('primary', unavailable())]) {
      const { readFrom } = readFromReplicas(unsettled, [replica('a', 'new')]);
      asked = [];
      await readFrom('a division', async () => {});
      expect(asked).to.deep.equal(['primary']);
    }
  });

  it('waits half a second for a replica, and does not ask it again before it has answered', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const hanging: Replica = {
      name: 'b',
      transactions: async (work) => {
        asked.push('b hangs');
        await answer;
        return work(named('b', 'new') as unknown as Transaction);
      },
    };
    const { readFrom, reads } = readFromReplicas(primary, [replica('a', 'new'), hanging]);
    let lists = 0;
    const read = () =>
      readFrom('a division', async () => {
        lists += 1;
      });
    await read();
    await read();
    await read();
    expect(asked).to.deep.equal(['primary', 'b hangs', 'a', 'primary', 'a', 'primary', 'a']);
    resolve();
    await setImmediate();
    asked = [];
    await read();
    await read();
    expect([lists, reads()]).to.deep.equal([5, { primary: 0, a: 4, b: 1 }]);
  });

  it('repeats a list that a replica could not finish on the primary only', async () => {
    const { readFrom } = readFromReplicas(primary, [replica('a', 'new'), replica('b', 'new')]);
    let tries = 0;
    const result = await readFrom('a division', async () => {
      tries += 1;
      if (tries === 1) throw unavailable();
      return 'a list';
    });
    expect([result, ...asked]).to.deep.equal(['a list', 'primary', 'b']);
  });

  it('repeats no list that is refused because of its cost', async () => {
    const { readFrom } = readFromReplicas(primary, [replica('a', 'new'), replica('b', 'new')]);
    let tries = 0;
    const refused = readFrom('a division', () => {
      tries += 1;
      return Promise.reject(tooCostly('it is too long'));
    });
    expect(await refused.catch(String)).to.contain('it is too long');
    expect([tries, ...asked]).to.deep.equal([1, 'primary', 'b']);
  });
});
