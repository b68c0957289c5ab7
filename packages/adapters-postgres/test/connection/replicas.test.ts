import { unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { makeReplicas } from '../../src/connection/runner.ts';
import type { Runner } from '../../src/connection/statement.ts';

describe('makeReplicas', () => {
  const readers: string[] = [];
  const named = (name: string, error?: Error): Runner => ({
    query: async () => {
      readers.push(name);
      if (error) throw error;
      return [];
    },
  });
  const readersOf = async (runner: Runner, times: number): Promise<string> => {
    readers.length = 0;
    for (let time = 0; time < times; time++) await runner.query({ text: 'select' }, []);
    return readers.join(' ');
  };

  it('reads from the primary without replicas', async () => {
    expect(await readersOf(makeReplicas([], named('primary')), 2)).to.equal('primary primary');
  });

  it('reads from the replicas in turn, and never from the primary', async () => {
    expect(await readersOf(makeReplicas([named('a'), named('b')], named('primary')), 4)).to.equal('b a b a');
  });

  it('reads from the primary while a replica is unavailable', async () => {
    const replicas = makeReplicas([named('a', unavailable()), named('b')], named('primary'));
    expect(await readersOf(replicas, 3)).to.equal('b a primary b');
  });

  it('throws other errors of a replica', async () => {
    const outcome = await readersOf(makeReplicas([named('a', new Error('no'))], named('primary')), 1).catch(String);
    expect([outcome, ...readers]).to.deep.equal(['Error: no', 'a']);
  });
});
