import { expect } from 'chai';
import type { Pool, PoolClient } from 'pg';
import {
  hasPgbouncer,
  type Pgbouncer,
  startPgbouncer,
  tracksPreparedStatements,
} from '../../../test-support/pgbouncer.ts';
import { skip } from '../../../test-support/skip.ts';
import { makePool } from '../src/connection/pool.ts';
import { MAX_PREPARED_STATEMENTS } from '../src/connection/prepared-statements.ts';
import { runnerOn } from '../src/connection/runner.ts';
import { type Runner, runOn, type Statement } from '../src/connection/statement.ts';
import { useWorld } from './support/use-world.ts';

type Echo = readonly [echo: number];
type Uses = readonly [name: string, uses: number];

const USES = `select name, (generic_plans + custom_plans)::int from pg_prepared_statements
  where not from_sql and name like 'reusable-%' and statement = $1`;
const COUNT = `select count(*)::int from pg_prepared_statements where name like 'reusable-%'`;

/** A statement of another text for each number, which returns its parameter. */
const shape = (number: number): Statement => ({ text: `select $1::int as shape_${number}`, isReusable: true });

const OFTEN: Statement = { text: 'select $1::int as often', isReusable: true };

const shapes = Array.from({ length: 3 * MAX_PREPARED_STATEMENTS }, (_, number) => shape(number));

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
  /** Counts the names that the driver holds for prepared. */
  const countParsed = ({ connection }: PoolClient): number =>
    Object.keys(Reflect.get(connection, 'parsedStatements') as object).length;
  /** Runs each shape twice, so that the connection prepares it. */
  const runShapes = async (between: () => Promise<unknown> = async () => {}): Promise<void> => {
    for (const [number, statement] of shapes.entries()) {
      for (const value of [number, -number]) expect(await echo(statement, value)).to.equal(value);
      if (number % 20 === 0) await between();
    }
  };

  it('is prepared from its second use on', async () => {
    await echo(OFTEN, 1);
    expect(await usesOf(OFTEN)).to.deep.equal([]);
    for (const value of [2, 3, 4]) expect(await echo(OFTEN, value)).to.equal(value);
    expect((await usesOf(OFTEN)).map(([, uses]) => uses)).to.deep.equal([3]);
  });

  it('stays prepared by one name when it is used often while hundreds of others are prepared', async () => {
    let uses = 0;
    const useOften = async () => {
      uses += 1;
      return echo(OFTEN, uses);
    };
    await runShapes(useOften);
    const [[, prepared] = []] = await usesOf(OFTEN);
    // The first use had no name.
    expect(prepared).to.equal(uses - 1);
  });

  it('is one of a bounded number that a connection keeps prepared, for the server and for the driver', async () => {
    const counts: (number | undefined)[] = [];
    await runShapes(async () => counts.push(await countPrepared()));
    expect(Math.max(...counts.map(Number))).to.equal(MAX_PREPARED_STATEMENTS);
    expect(await countPrepared()).to.equal(MAX_PREPARED_STATEMENTS);
    const client = await pool.connect();
    const parsed = countParsed(client);
    client.release();
    expect(parsed).to.equal(MAX_PREPARED_STATEMENTS);
  });

  it('is prepared again after others took its place', async () => {
    await echo(OFTEN, 1);
    await echo(OFTEN, 2);
    await runShapes();
    expect(await usesOf(OFTEN)).to.deep.equal([]);
    for (const value of [3, 4]) expect(await echo(OFTEN, value)).to.equal(value);
    expect(await usesOf(OFTEN)).to.have.lengthOf(1);
  });

  it('takes no place of one whose answer is under way on the same connection', async () => {
    const client: PoolClient = await pool.connect();
    try {
      // Twice in turn, so that the second use of each asks for a name while all others are under way.
      const numbers = [...shapes.keys()].flatMap((number) => [number, number]);
      const runAll = (): Promise<readonly (readonly Echo[])[]> =>
        Promise.all(numbers.map((number) => runOn<Echo>(client, shape(number), [number])));
      for (let turn = 0; turn < 3; turn += 1) {
        expect((await runAll()).map(([row]) => row?.[0])).to.deep.equal(numbers);
        expect(countParsed(client)).to.equal(MAX_PREPARED_STATEMENTS);
      }
    } finally {
      client.release();
    }
    expect(await countPrepared()).to.equal(MAX_PREPARED_STATEMENTS);
  });

  it('is prepared with a later use when the server refuses to prepare it', async () => {
    const client = await pool.connect();
    const refuseToPrepare = async (statement: Statement, code: string): Promise<void> => {
      for (let use = 0; use < 3; use += 1) {
        const failure: unknown = await runOn(client, statement, [1]).catch((error: unknown) => error);
        expect(failure).to.have.property('code', code);
      }
    };
    try {
      await refuseToPrepare({ text: 'select $1::int from pg_temp.later', isReusable: true }, '42P01');
      await client.query('begin');
      await client.query('select 1 / 0').catch(() => {});
      for (const statement of shapes) await refuseToPrepare(statement, '25P02');
      await client.query('rollback');
      for (const statement of shapes) expect(await runOn(client, statement, [1])).to.deep.equal([[1]]);
    } finally {
      client.release();
    }
    expect(await countPrepared()).to.be.within(1, MAX_PREPARED_STATEMENTS);
  });

  describe('through pgbouncer', () => {
    let bouncer: Pgbouncer | undefined;

    before('is there a pgbouncer?', function () {
      if (!hasPgbouncer()) skip(this, 'there is no pgbouncer');
    });
    afterEach(async () => {
      await bouncer?.stop();
      bouncer = undefined;
    });

    const connectThrough = async (settings: Readonly<Record<string, string>>): Promise<Pool> => {
      bouncer = await startPgbouncer(world().plainUrl, settings);
      return makePool({ url: bouncer.url, poolSize: 2 });
    };

    it('gives its place to others in session mode', async () => {
      const through = await connectThrough({ pool_mode: 'session' });
      try {
        runner = runnerOn(through);
        await runShapes(() => echo(OFTEN, 1));
        expect(await countPrepared()).to.equal(MAX_PREPARED_STATEMENTS);
      } finally {
        await through.end();
      }
    });

    it('runs on every server connection that the pooler chooses in transaction mode', async function () {
      if (!tracksPreparedStatements()) skip(this, 'pgbouncer is older than 1.21');
      const through = await connectThrough({ pool_mode: 'transaction', max_prepared_statements: '200' });
      try {
        runner = runnerOn(through);
        await runShapes();
        // It takes the only server connection, so that pgbouncer has to open a second one.
        const holder = await through.connect();
        await holder.query('begin');
        await runShapes(() => echo(OFTEN, 1));
        await holder.query('rollback');
        holder.release();
        await runShapes(() => echo(OFTEN, 2));
      } finally {
        await through.end();
      }
    });
  });
});
