import { expectRefusal } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { makePool } from '../../src/connection/pool.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import type { Runner } from '../../src/connection/statement.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

const STATEMENTS = 8;
/** Returns its connection and its parameter, which identifies the response. */
const ECHO = 'select pg_backend_pid(), $1::int';
const DIVISION = 'select 1 / $1::int';
const TERMINATE = 'select pg_terminate_backend(pg_backend_pid()), $1::int';

describe('A runner of statements', () => {
  const { world, blockers } = useBlockedWorld();
  let pool: Pool;
  let runner: Runner;

  beforeEach(() => {
    pool = makePool({ url: world().url, poolSize: 3, acquireTimeoutMs: 60_000 });
    runner = runnerOn(pool);
  });
  afterEach(() => pool.end());

  const run = (text: string, value: number, canShareConnection = true): Promise<readonly (readonly number[])[]> =>
    runner.query<readonly number[]>({ name: text, text, canShareConnection }, [value]);
  const numbers = Array.from({ length: STATEMENTS }, (_, at) => at);
  const connectionsOf = async (responses: readonly Promise<readonly (readonly number[])[]>[]) =>
    new Set((await Promise.all(responses)).map(([row]) => row?.[0]));

  it('shares a connection among four brief statements of one turn, each with its own response', async () => {
    const responses = numbers.map((number) => run(ECHO, number));
    expect(await connectionsOf(responses)).to.have.lengthOf(2);
    const echoed = (await Promise.all(responses)).map((rows) => rows.map(([, number]) => number));
    expect(echoed).to.deep.equal(numbers.map((number) => [number]));
    expect(pool.idleCount).to.equal(pool.totalCount);
  });

  it('uses a separate connection for every other statement', async () => {
    const held = numbers.slice(0, 3).map((number) => run(`${ECHO}, pg_sleep(0.05)::text`, number, false));
    expect(await connectionsOf(held)).to.have.lengthOf(3);
  });

  it('rejects only the failing one of the statements that share a connection', async () => {
    const ends = await Promise.allSettled(numbers.map((number) => run(DIVISION, number - 1)));
    expect(ends.map(({ status }) => status)).to.deep.equal(
      numbers.map((number) => (number === 1 ? 'rejected' : 'fulfilled')),
    );
    expect(ends[1]).to.have.nested.property('reason.message', 'the database refused a statement (SQLSTATE 22012)');
    expect(await connectionsOf(numbers.map((number) => run(ECHO, number)))).to.have.lengthOf(2);
  });

  it('rejects the statements on a connection that breaks as unavailable, and none after them', async () => {
    const lost = [run(ECHO, 0), run(TERMINATE, 1), run(ECHO, 2)];
    expect(await lost[0]).to.have.nested.property('[0][1]', 0);
    for (const response of lost.slice(1)) await expectRefusal('unavailable', response);
    expect(await run(ECHO, 3)).to.have.nested.property('[0][1]', 3);
    expect([pool.totalCount, pool.waitingCount]).to.deep.equal([1, 0]);
  });

  it('rejects all statements on a connection when the server cancels the first one', async () => {
    const shortPool = makePool({ url: world().url, poolSize: 1, statementTimeoutMs: 1000 });
    const shortRunner = runnerOn(shortPool);
    const blocker = await blockers.begin();
    await blocker.run('lock table division');
    const text = 'select $1::int from division';
    const stuck = numbers.slice(0, 4).map((number) => shortRunner.query({ text, canShareConnection: true }, [number]));
    const refusals = await Promise.all(stuck.map((response) => expectRefusal('unavailable', response)));
    await blocker.commit();
    await shortPool.end();
    expect(refusals.map(({ cause }) => /SQLSTATE 57014|unreachable/.exec(String(cause))?.[0])).to.deep.equal([
      'SQLSTATE 57014',
      'unreachable',
      'unreachable',
      'unreachable',
    ]);
  });

  it('is unavailable to statements whose preparation by another statement failed', async () => {
    const [first, ...others] = numbers.slice(0, 4).map((number) => run('select nothing from nowhere where $1', number));
    const refusals = others.map((response) => expectRefusal('unavailable', response));
    expect(String(await first?.catch(String))).to.include('SQLSTATE 42P01');
    await Promise.all(refusals);
    expect(await run(ECHO, 3)).to.have.nested.property('[0][1]', 3);
  });

  it('is unavailable to all waiting statements when no connection is free in time', async () => {
    const holders = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    pool.options.connectionTimeoutMillis = 100;
    for (const response of numbers.map((number) => run(ECHO, number))) await expectRefusal('unavailable', response);
    for (const holder of holders) holder.release();
    expect(await connectionsOf([run(ECHO, 0)])).to.have.lengthOf(1);
  });
});
