import { expectRefusal } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { makePool } from '../src/connection/pool.ts';
import { runnerOn } from '../src/connection/runner.ts';
import type { Runner } from '../src/connection/statement.ts';
import { useWorld } from './support/use-world.ts';

const MANY = 8;
/** What it runs on, with what it is given, so that every answer is known by its question. */
const WHERE = 'select pg_backend_pid(), $1::int';
const DIVIDED = 'select 1 / $1::int';
const HANG_UP = 'select pg_terminate_backend(pg_backend_pid()), $1::int';

describe('A runner of statements', () => {
  const world = useWorld();
  let pool: Pool;
  let runner: Runner;

  beforeEach(() => {
    pool = makePool({ url: world().url, poolSize: 3, acquireTimeout: 300 });
    runner = runnerOn(pool);
  });
  afterEach(() => pool.end());

  const ask = (text: string, value: number, isBrief = true): Promise<readonly (readonly number[])[]> =>
    runner.query<readonly number[]>({ name: text, text, isBrief }, [value]);
  const numbers = Array.from({ length: MANY }, (_, at) => at);
  const connectionsOf = async (answers: readonly Promise<readonly (readonly number[])[]>[]) =>
    new Set((await Promise.all(answers)).map(([row]) => row?.[0]));

  it('gives brief statements of one turn a connection for every four, and each its own answer', async () => {
    const answers = numbers.map((number) => ask(WHERE, number));
    expect(await connectionsOf(answers)).to.have.lengthOf(2);
    const echoed = (await Promise.all(answers)).map((rows) => rows.map(([, number]) => number));
    expect(echoed).to.deep.equal(numbers.map((number) => [number]));
    expect(pool.idleCount).to.equal(pool.totalCount);
  });

  it('gives every other statement a connection of its own', async () => {
    const held = numbers.slice(0, 3).map((number) => ask(`${WHERE}, pg_sleep(0.05)::text`, number, false));
    expect(await connectionsOf(held)).to.have.lengthOf(3);
  });

  it('refuses only what fails of those that share a connection', async () => {
    const ends = await Promise.allSettled(numbers.map((number) => ask(DIVIDED, number - 1)));
    expect(ends.map(({ status }) => status)).to.deep.equal(
      numbers.map((number) => (number === 1 ? 'rejected' : 'fulfilled')),
    );
    expect(ends[1]).to.have.nested.property('reason.message', 'the database refused a statement (SQLSTATE 22012)');
    expect(await connectionsOf(numbers.map((number) => ask(WHERE, number)))).to.have.lengthOf(2);
  });

  it('is unavailable to all who share a connection that breaks, and to nobody after them', async () => {
    const lost = [ask(WHERE, 0), ask(HANG_UP, 1), ask(WHERE, 2)];
    expect(await lost[0]).to.have.nested.property('[0][1]', 0);
    for (const answer of lost.slice(1)) await expectRefusal('unavailable', answer);
    expect(await ask(WHERE, 3)).to.have.nested.property('[0][1]', 3);
    expect([pool.totalCount, pool.waitingCount]).to.deep.equal([1, 0]);
  });

  it('waits no longer for all who share a connection than for the first that the server gives up', async () => {
    const impatient = makePool({ url: world().url, poolSize: 1, statementTimeout: 200 });
    const hasty = runnerOn(impatient);
    const blocker = await world().sql.connect();
    await blocker.query('begin; lock table division');
    const text = 'select $1::int from division';
    const stuck = numbers.slice(0, 4).map((number) => hasty.query({ text, isBrief: true }, [number]));
    const refusals = await Promise.all(stuck.map((answer) => expectRefusal('unavailable', answer)));
    await blocker.query('rollback');
    blocker.release();
    await impatient.end();
    expect(refusals.map(({ cause }) => /SQLSTATE 57014|unreachable/.exec(String(cause))?.[0])).to.deep.equal([
      'SQLSTATE 57014',
      'unreachable',
      'unreachable',
      'unreachable',
    ]);
  });

  it('is unavailable to those whose statement another was to prepare, and failed', async () => {
    const [first, ...others] = numbers.slice(0, 4).map((number) => ask('select nothing from nowhere where $1', number));
    const refusals = others.map((answer) => expectRefusal('unavailable', answer));
    expect(String(await first?.catch(String))).to.include('SQLSTATE 42P01');
    await Promise.all(refusals);
    expect(await ask(WHERE, 3)).to.have.nested.property('[0][1]', 3);
  });

  it('is unavailable to all who wait where no connection is free in time', async () => {
    const holders = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    for (const answer of numbers.map((number) => ask(WHERE, number))) await expectRefusal('unavailable', answer);
    for (const holder of holders) holder.release();
    expect(await connectionsOf([ask(WHERE, 0)])).to.have.lengthOf(1);
  });
});
