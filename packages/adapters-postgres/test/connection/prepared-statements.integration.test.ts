import { mock } from 'node:test';
import { expect } from 'chai';
import { type Pool, type PoolClient, types } from 'pg';
import { hasPgbouncer, startPgbouncer, tracksPreparedStatements } from '../../../../test-support/pgbouncer.ts';
import { skip } from '../../../../test-support/skip.ts';
import { makePool } from '../../src/connection/pool.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { MAX_PREPARED_STATEMENTS, type Runner, runOn, type Statement } from '../../src/connection/statement.ts';
import { useWorld } from '../support/use-world.ts';

type Echo = readonly [echo: number];
type Uses = readonly [name: string, uses: number];

const USES = `select name, (generic_plans + custom_plans)::int from pg_prepared_statements
  where not from_sql and name like 'reusable-%' and statement = $1`;
const COUNT = `select count(*)::int from pg_prepared_statements where name like 'reusable-%'`;

/** Returns a statement with a different text for each number, which returns its parameter. */
const variant = (number: number): Statement => ({ text: `select $1::int as variant_${number}`, isReusable: true });

const FREQUENT: Statement = { text: 'select $1::int as frequent', isReusable: true };

const variants = Array.from({ length: 3 * MAX_PREPARED_STATEMENTS }, (_, number) => variant(number));

describe('A reusable statement', () => {
  const world = useWorld();
  let pool: Pool;
  let runner: Runner;

  beforeEach(() => {
    pool = makePool({ url: world().url, poolSize: 1 });
    runner = runnerOn(pool);
  });
  afterEach(() => pool.end());

  const echo = async (statement: Statement, value: number): Promise<number | undefined> =>
    (await runner.query<Echo>(statement, [value]))[0]?.[0];
  const usesOf = async ({ text }: Statement): Promise<readonly Uses[]> => runner.query<Uses>({ text: USES }, [text]);
  const countPrepared = async (): Promise<number | undefined> =>
    (await runner.query<readonly [number]>({ text: COUNT }, []))[0]?.[0];
  /** Runs each variant twice, so that the connection prepares it. */
  const runVariants = async (between: () => Promise<unknown> = async () => {}): Promise<void> => {
    for (const [number, statement] of variants.entries()) {
      for (const value of [number, -number]) expect(await echo(statement, value)).to.equal(value);
      if (number % 20 === 0) await between();
    }
  };

  it('is prepared from its second use on', async () => {
    await echo(FREQUENT, 1);
    expect(await usesOf(FREQUENT)).to.deep.equal([]);
    for (const value of [2, 3, 4]) expect(await echo(FREQUENT, value)).to.equal(value);
    expect((await usesOf(FREQUENT)).map(([, uses]) => uses)).to.deep.equal([3]);
  });

  it('is deallocated beyond the limit of a connection', async () => {
    const counts: (number | undefined)[] = [];
    await runVariants(async () => counts.push(await countPrepared()));
    expect(Math.max(...counts.map(Number))).to.equal(MAX_PREPARED_STATEMENTS);
    expect(await countPrepared()).to.equal(MAX_PREPARED_STATEMENTS);
  });

  it('is deallocated after the uses that wait for responses on the same connection', async () => {
    const client: PoolClient = await pool.connect();
    try {
      // Each twice in a row, so that its second use needs the place of one that waits for its response.
      const numbers = [...variants.keys()].flatMap((number) => [number, number]);
      const runAll = (): Promise<readonly (readonly Echo[])[]> =>
        Promise.all(numbers.map((number) => runOn<Echo>(client, variant(number), [number])));
      for (let turn = 0; turn < 3; turn += 1) {
        expect((await runAll()).map(([row]) => row?.[0])).to.deep.equal(numbers);
      }
    } finally {
      client.release();
    }
    expect(await countPrepared()).to.equal(MAX_PREPARED_STATEMENTS);
  });

  it('is prepared on a later use after the server failed to prepare it', async () => {
    const client = await pool.connect();
    const expectFailures = async (statement: Statement, code: string): Promise<void> => {
      for (let use = 0; use < 3; use += 1) {
        const failure: unknown = await runOn(client, statement, [1]).catch((error: unknown) => error);
        expect(failure).to.have.property('code', code);
      }
    };
    try {
      await expectFailures({ text: 'select $1::int from pg_temp.later', isReusable: true }, '42P01');
      await client.query('begin');
      await client.query('select 1 / 0').catch(() => {});
      for (const statement of variants) await expectFailures(statement, '25P02');
      await client.query('rollback');
      for (const statement of variants) expect(await runOn(client, statement, [1])).to.deep.equal([[1]]);
    } finally {
      client.release();
    }
    expect(await countPrepared()).to.be.within(1, MAX_PREPARED_STATEMENTS);
  });

  it('is prepared again after a use that failed, with its columns as they are now', async () => {
    const client = await pool.connect();
    const quotient: Statement = { name: 'quotient', text: 'select found, 1 / $1::int from pg_temp.changing' };
    const run = (value: unknown) => runOn(client, quotient, [value]).catch(({ code }) => code);
    try {
      await client.query('create temporary table changing as select 1 as found');
      expect(await run('none')).to.equal('22P02');
      expect(await run(0)).to.equal('22012');
      await client.query(`drop table changing; create temporary table changing as select '{"a' as found`);
      expect(await run(1)).to.deep.equal([['{"a', 1]]);
    } finally {
      client.release();
    }
  });

  it('stays prepared after a later use that failed', async () => {
    for (const value of [1, 2]) await echo(FREQUENT, value);
    const client = await pool.connect();
    expect(await runOn(client, FREQUENT, ['none']).catch(({ code }) => code)).to.equal('22P02');
    client.release();
    await echo(FREQUENT, 3);
    expect((await usesOf(FREQUENT)).map(([, uses]) => uses)).to.deep.equal([2]);
  });

  it('has its columns described once, even if it has none', async () => {
    const client = await pool.connect();
    const descriptions = { rowDescription: 0, noData: 0 };
    for (const message of ['rowDescription', 'noData'] as const)
      client.connection.on(message, () => (descriptions[message] += 1));
    client.release();
    for (const value of [1, 2, 3, 4]) {
      expect(await echo({ name: 'echo', text: 'select $1::int' }, value)).to.equal(value);
      await runner.query({ name: 'notify', text: 'notify changes' }, []);
    }
    expect(descriptions).to.deep.equal({ rowDescription: 1, noData: 1 });
  });

  it('fails if a value has no text or a text no value, and the connection serves the next one', async () => {
    const circular: unknown[] = [];
    circular.push({ circular });
    for (const canShareConnection of [false, true]) {
      const failure: unknown = await runner.query({ text: 'select $1', canShareConnection }, circular).catch(String);
      expect(failure).to.match(/circular/);
    }
    const client = await pool.connect();
    client.setTypeParser(types.builtins.TEXT, () => {
      throw new Error('unreadable');
    });
    client.release();
    const failure: unknown = await runner.query({ text: `select 'text'` }, []).catch(String);
    expect(failure).to.match(/unreadable/);
    expect(await echo(FREQUENT, 1)).to.equal(1);
  });

  it('leaves no timer behind if the URL limits its time', async () => {
    const limited = makePool({ url: `${world().url}&query_timeout=1000`, poolSize: 1 });
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const processOf = () => runnerOn(limited).query({ name: 'process', text: 'select pg_backend_pid()' }, []);
      const process = await processOf();
      // At the end of its time, pg would close the connection.
      mock.timers.tick(1000);
      expect(await processOf()).to.deep.equal(process);
    } finally {
      mock.timers.reset();
      await limited.end();
    }
  });

  it('runs on every server connection that a pooler chooses in transaction mode', async function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
    if (!tracksPreparedStatements()) skip(this, 'pgbouncer is older than 1.21');
    const bouncer = await startPgbouncer(world().plainUrl, {
      pool_mode: 'transaction',
      max_prepared_statements: '200',
    });
    const through = makePool({ url: bouncer.url, poolSize: 2 });
    try {
      runner = runnerOn(through);
      await runVariants();
      // The holder occupies the only server connection, so that pgbouncer opens a second one.
      const holder = await through.connect();
      await holder.query('begin');
      await runVariants(() => echo(FREQUENT, 1));
      await holder.query('rollback');
      holder.release();
      await runVariants(() => echo(FREQUENT, 2));
    } finally {
      await through.end();
      await bouncer.stop();
    }
  });
});
