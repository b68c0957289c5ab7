import { expect } from 'chai';
import { makePreparedStatements } from '../src/connection/prepared-statements.ts';

const LIMIT = 3;

const makeConnection = () => {
  const deallocated: string[] = [];
  const statements = makePreparedStatements((name) => deallocated.push(name), LIMIT);
  /** Runs a text to its end, and returns the name that it ran by. */
  const run = (text: string): string | undefined => {
    const prepared = statements.begin(text);
    if (prepared) statements.end(prepared);
    return prepared?.name;
  };
  /** Runs a text twice, so that it has a name. */
  const prepare = (text: string): string | undefined => {
    run(text);
    return run(text);
  };
  return { deallocated, statements, run, prepare };
};

describe('The prepared statements of a connection', () => {
  it('have a name from the second use on, and keep it', () => {
    const { run } = makeConnection();
    expect(run('a')).to.equal(undefined);
    const name = run('a');
    expect(name).to.be.a('string');
    expect(run('a')).to.equal(name);
  });

  it('have names of their own', () => {
    const { prepare } = makeConnection();
    expect(prepare('a')).not.to.equal(prepare('b'));
  });

  it('deallocate the least recently used one for a new one beyond the limit', () => {
    const { deallocated, run, prepare } = makeConnection();
    const [, b] = ['a', 'b', 'c'].map(prepare);
    run('a');
    prepare('d');
    expect(deallocated).to.deep.equal([b]);
  });

  it('never give a name to a second text or for a second time', () => {
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

  it('forget a text that ran once when as many others as the limit have run since', () => {
    const { run } = makeConnection();
    run('a');
    for (let number = 0; number < LIMIT; number += 1) run(`once ${number}`);
    expect(run('a')).to.equal(undefined);
  });

  it('are not deallocated while the server has not answered a use', () => {
    const { deallocated, statements, prepare } = makeConnection();
    const [a, b] = ['a', 'b', 'c'].map(prepare);
    const [first, second] = [statements.begin('a'), statements.begin('a')];
    expect([first?.name, second?.name]).to.deep.equal([a, a]);
    prepare('d');
    expect(deallocated).to.deep.equal([b]);
    if (first) statements.end(first);
    prepare('e');
    prepare('f');
    expect(deallocated).not.to.include(a);
    if (second) statements.end(second);
    for (const text of ['g', 'h', 'i']) prepare(text);
    expect(deallocated).to.include(a);
  });

  it('get no new one while the server has answered none of them', () => {
    const { deallocated, statements, prepare } = makeConnection();
    for (const text of ['a', 'b', 'c']) {
      prepare(text);
      statements.begin(text);
    }
    expect(prepare('d')).to.equal(undefined);
    expect(deallocated).to.deep.equal([]);
  });
});
