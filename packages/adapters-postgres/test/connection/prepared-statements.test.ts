import { expect } from 'chai';
import { makePreparedStatements } from '../../src/connection/statement.ts';

const LIMIT = 3;

const makeConnection = () => {
  const deallocated: string[] = [];
  const begin = makePreparedStatements((name) => deallocated.push(name), LIMIT);
  /** Runs a text to its end. Returns the name of its prepared statement. */
  const run = (text: string): string | undefined => {
    const prepared = begin(text);
    if (prepared) prepared.pending -= 1;
    return prepared?.name;
  };
  /** Runs a text twice, so that it gets a name. */
  const prepare = (text: string): string | undefined => {
    run(text);
    return run(text);
  };
  return { begin, deallocated, run, prepare };
};

describe('The prepared statements of a connection', () => {
  it('deallocate the least recently used one beyond the limit', () => {
    const { deallocated, run, prepare } = makeConnection();
    const [, b] = ['a', 'b', 'c'].map(prepare);
    run('a');
    prepare('d');
    expect(deallocated).to.deep.equal([b]);
  });

  it('never reuse a name', () => {
    const { prepare } = makeConnection();
    const texts = ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'];
    expect(new Set(texts.map(prepare))).to.have.lengthOf(texts.length);
  });

  it('stay prepared while any number of texts run once', () => {
    const { deallocated, run, prepare } = makeConnection();
    const name = prepare('a');
    for (let number = 0; number < LIMIT * 100; number += 1) run(`once ${number}`);
    expect(run('a')).to.equal(name);
    expect(deallocated).to.deep.equal([]);
  });

  it('forget a text that ran once after as many others as the limit have run', () => {
    const { run } = makeConnection();
    run('a');
    for (let number = 0; number < LIMIT; number += 1) run(`once ${number}`);
    expect(run('a')).to.equal(undefined);
  });

  it('are not deallocated before the server has responded to all uses', () => {
    const { begin, deallocated, prepare } = makeConnection();
    const [a, b] = ['a', 'b', 'c'].map(prepare);
    const [first, second] = [begin('a'), begin('a')];
    expect([first?.name, second?.name]).to.deep.equal([a, a]);
    prepare('d');
    expect(deallocated).to.deep.equal([b]);
    if (first) first.pending -= 1;
    prepare('e');
    prepare('f');
    expect(deallocated).not.to.include(a);
    if (second) second.pending -= 1;
    for (const text of ['g', 'h', 'i']) prepare(text);
    expect(deallocated).to.include(a);
  });

  it('get no new one while all of them wait for responses', () => {
    const { begin, deallocated, prepare } = makeConnection();
    for (const text of ['a', 'b', 'c']) {
      prepare(text);
      begin(text);
    }
    expect(prepare('d')).to.equal(undefined);
    expect(deallocated).to.deep.equal([]);
  });
});
