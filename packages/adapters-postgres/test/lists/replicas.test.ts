import { setImmediate } from 'node:timers/promises';
import { tooCostly, unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { makeFakeTimers } from '../../../../test-support/fake-timers.ts';
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

  /** A replica that responds when `respond` is called, to all that ask it meanwhile. */
  const slow = () => {
    let answer = Promise.withResolvers<void>();
    const replica: Replica = {
      name: 'b',
      transactions: async (work) => {
        asked.push('b waits');
        await answer.promise;
        return work(named('b', 'new') as unknown as Transaction);
      },
    };
    const respond = async (): Promise<void> => {
      answer.resolve();
      answer = Promise.withResolvers();
      await setImmediate();
    };
    return { replica, respond };
  };
  /** Reads a division, and counts the lists that were read. */
  const reader = (replicas: readonly Replica[]) => {
    const timers = makeFakeTimers();
    const { readFrom, reads } = readFromReplicas(primary, replicas, timers);
    let lists = 0;
    const read = () => {
      asked = [];
      return readFrom('a division', async () => {
        lists += 1;
      });
    };
    return { read, lists: () => lists, reads, timers };
  };

  it('gives up a replica after half a second, and tries it with one list in ten seconds until it is in time', async () => {
    const { replica: late, respond } = slow();
    const { read, lists, reads, timers } = reader([late]);
    for (const pause of [0, 10_000]) {
      timers.advance(pause);
      const first = read();
      await setImmediate();
      timers.advance(499);
      expect(lists()).to.equal(pause === 0 ? 0 : 2);
      timers.advance(1);
      await first;
      await respond();
      expect(asked).to.deep.equal(['primary', 'b waits', 'b']);
      await read();
      expect(asked).to.deep.equal(['primary']);
    }
    timers.advance(10_000);
    const trial = read();
    await setImmediate();
    await read();
    expect(asked).to.deep.equal(['primary']);
    await respond();
    await trial;
    const next = read();
    await setImmediate();
    await respond();
    await next;
    expect([lists(), reads(), timers.running()]).to.deep.equal([7, { primary: 5, b: 2 }, 0]);
  });

  it('gives up each list on its own', async () => {
    const { replica: late, respond } = slow();
    const { read, lists, reads, timers } = reader([late]);
    const first = read();
    await setImmediate();
    timers.advance(250);
    const second = read();
    await setImmediate();
    timers.advance(250);
    await first;
    await respond();
    await second;
    expect([lists(), reads()]).to.deep.equal([2, { primary: 1, b: 1 }]);
  });

  it('does not ask a primary that fails for each list', async () => {
    const timers = makeFakeTimers();
    const { readFrom, reads } = readFromReplicas(named('primary', unavailable()), [replica('a', 'new')], timers);
    for (const pause of [0, 0, 10_000]) {
      timers.advance(pause);
      await readFrom('a division', async () => {});
    }
    expect([asked, reads()]).to.deep.equal([['primary', 'primary'], { primary: 3, a: 0 }]);
  });

  it('counts no list that the primary refuses', async () => {
    const { readFrom, reads } = readFromReplicas(primary, [replica('a', 'old')]);
    const refused = readFrom('a division', () => Promise.reject(tooCostly('it is too long')));
    expect(await refused.catch(String)).to.contain('it is too long');
    expect(reads()).to.deep.equal({ primary: 0, a: 0 });
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
