import { OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import type { BulkLoad } from '../../src/index.ts';
import { divisionRows } from '../support/bulk-rows.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const ids = ['0190a000-0000-7000-8000-0000000000a1', '0190a000-0000-7000-8000-0000000000a2'] as const;

const rows = (...names: readonly string[]) => divisionRows(...names.map((name, at) => [ids[at] ?? '', name] as const));

describe('A bulk load', () => {
  const world = useWorld();
  const stored = async () =>
    (await world().sql.query<{ name: string }>('select name from division order by id')).rows.map(({ name }) => name);
  const load = <T>(work: (load: BulkLoad) => Promise<T>): Promise<T> => world().database.loadInBulk(OPERATOR, work);
  const silent = (): void => {};

  it('stores staged texts unchanged, and reports progress', async () => {
    const progress: number[] = [];
    const counts = await load(async (opened) => {
      await opened.stageDivisions(rows('\\N', 'a\\tb "c" \\.'));
      return (await opened.plan()).store((done) => progress.push(done));
    });
    expect(counts).to.deep.equal({ divisions: 2, users: 0 });
    expect(progress).to.include(2);
    expect(await stored()).to.deep.equal(['\\N', 'a\\tb "c" \\.']);
  });

  it('reports progress in steps of at most 2 % of 10,000 rows', async () => {
    const total = 10_000;
    const many = Array.from({ length: total }, (_, at) => [world().ids.next(), `Division ${at}`] as const);
    const steps = [0];
    await load(async (opened) => {
      await opened.stageDivisions(divisionRows(...many));
      return (await opened.plan()).store((done) => steps.push(done));
    });
    expect(steps.at(-1)).to.equal(total);
    expect(Math.max(...steps.slice(1).map((done, at) => done - (steps[at] ?? 0))) / total).to.be.at.most(0.02);
  });

  it('locks no stored table while it reads a file, so that nothing waits for a stopped process', async () => {
    let locked: unknown;
    const observed = async function* () {
      yield* rows('North');
      const { rows: found } = await world().sql.query(
        `select relname, mode from pg_locks l join pg_class c on c.oid = l.relation
          where c.relnamespace = 'public'::regnamespace and l.pid <> pg_backend_pid()`,
      );
      locked = found;
    };
    await load((opened) => opened.stageDivisions(observed()));
    expect(locked).to.deep.equal([]);
  });

  it('stores nothing when the rows or the work throw', async () => {
    const failure = new Error('test');
    const failingRows = async function* () {
      yield* rows('North');
      throw failure;
    };
    const attempts = [
      load((opened) => opened.stageDivisions(failingRows())),
      load(async (opened) => {
        await opened.stageDivisions(rows('North', 'South'));
        await (await opened.plan()).store(silent);
        throw failure;
      }),
    ];
    // All at once, because the second one may fail before the first one.
    const errors = await Promise.all(attempts.map((attempt) => attempt.catch((error: unknown) => error)));
    expect(errors).to.deep.equal([failure, failure]);
    expect(await stored()).to.deep.equal([]);
  });

  it('is not interrupted during its commit: closing the database waits for the outcome', async () => {
    const { connect, sql } = world();
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(7); return null; end';
      create constraint trigger slow after insert on division deferrable initially deferred
        for each row execute function wait_for_test()`);
    const holder = await sql.connect();
    await holder.query('begin; select pg_advisory_xact_lock(7)');
    const database = connect();
    const loading = database.loadInBulk(OPERATOR, async (opened) => {
      await opened.stageDivisions(rows('North'));
      return (await opened.plan()).store(silent);
    });
    const waits = `select from pg_stat_activity where datname = current_database() and query = 'commit' and wait_event = 'advisory'`;
    await until(async () => (await sql.query(waits)).rowCount !== 0);
    const closing = database.close();
    await holder.query('commit');
    holder.release();
    await closing;
    expect(await loading).to.deep.equal({ divisions: 1, users: 0 });
    expect(await stored()).to.deep.equal(['North']);
    await sql.query('drop function wait_for_test cascade');
  });

  it('may run longer than the statement timeout of the URL', async () => {
    const { connect, sql, url } = world();
    await sql.query(`create function dawdle() returns trigger language plpgsql as
      'begin perform pg_sleep(0.2); return new; end';
      create trigger slow before insert on division for each row execute function dawdle()`);
    const database = connect({ url: `${url}&statement_timeout=100` });
    const create = database.divisions.create(OPERATOR, { id: ids[1], name: 'South', logo: null, fanpage: null });
    expect(await create.catch((error: unknown) => error)).to.include({ code: 'unavailable' });
    const counts = await database.loadInBulk(OPERATOR, async (opened) => {
      await opened.stageDivisions(rows('North'));
      return (await opened.plan()).store(silent);
    });
    expect(counts).to.deep.equal({ divisions: 1, users: 0 });
    await sql.query('drop function dawdle cascade');
  });
});
