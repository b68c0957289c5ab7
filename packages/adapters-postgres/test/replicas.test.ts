import { unavailable } from '@chapter/domain';
import { expect } from 'chai';
import { makeReplicas } from '../src/connection/replicas.ts';
import type { Runner } from '../src/connection/statement.ts';

describe('makeReplicas', () => {
  const asked: string[] = [];
  const named = (name: string, error?: Error): Runner => ({
    query: async () => {
      asked.push(name);
      if (error) throw error;
      return [];
    },
  });
  const ask = async (runner: Runner, times: number): Promise<string> => {
    asked.length = 0;
    for (let time = 0; time < times; time++) await runner.query({ text: 'select' }, []);
    return asked.join(' ');
  };

  it('asks the primary where there are none', async () => {
    expect(await ask(makeReplicas([], named('primary')), 2)).to.equal('primary primary');
  });

  it('asks the replicas in turn, and the primary never', async () => {
    expect(await ask(makeReplicas([named('a'), named('b')], named('primary')), 4)).to.equal('b a b a');
  });

  it('asks the primary while a replica is away', async () => {
    const replicas = makeReplicas([named('a', unavailable()), named('b')], named('primary'));
    expect(await ask(replicas, 3)).to.equal('b a primary b');
  });

  it('passes on what a replica refuses', async () => {
    const outcome = await ask(makeReplicas([named('a', new Error('no'))], named('primary')), 1).catch(String);
    expect([outcome, ...asked]).to.deep.equal(['Error: no', 'a']);
  });
});
