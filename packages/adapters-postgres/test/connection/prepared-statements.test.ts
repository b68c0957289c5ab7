import { expect } from 'chai';
import { makePreparedStatements } from '../../src/connection/statement.ts';

const LIMIT = 3;

const makeConnection = () => {
  const deallocated: string[] = [];
  const prepared = makePreparedStatements((name) => deallocated.push(name), LIMIT);
  /** Uses a text. Returns the name of its prepared statement; empty if it is not prepared. */
  const run = (text: string): string => prepared({ text, isReusable: true }).name;
  /** Uses a text twice, so that it gets a name. */
  const prepare = (text: string): string => {
    run(text);
    return run(text);
  };
  return { prepared, deallocated, run, prepare };
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
    expect(run('a')).to.equal('');
  });

  it('keep more than the limit if they have names of their own, each for one text', () => {
    const { prepared, deallocated } = makeConnection();
    const named = Array.from({ length: LIMIT + 1 }, (_, at) => ({ name: `named-${at}`, text: `named ${at}` }));
    const first = named.map((statement) => prepared(statement));
    expect(named.map((statement) => prepared(statement))).to.deep.equal(first);
    expect(first.map(({ name }) => name)).to.deep.equal(named.map(({ name }) => name));
    expect(deallocated).to.deep.equal([]);
    expect(() => prepared({ name: 'named-0', text: 'another' })).to.throw('two statements have the name named-0');
  });
});
