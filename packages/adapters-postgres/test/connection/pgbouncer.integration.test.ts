import { aUser, expectRefusal, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Client, Pool } from 'pg';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../../../test-support/pgbouncer.ts';
import { connectClient } from '../../../../test-support/query.ts';
import { skip } from '../../../../test-support/skip.ts';
import { makePool } from '../../src/connection/pool.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

const IGNORED = { ignore_startup_parameters: 'options' };

describe('A connection through pgbouncer', () => {
  const { world, blockers } = useBlockedWorld();
  let bouncer: Pgbouncer | undefined;
  let database: Database | undefined;

  before('pgbouncer is installed', function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
  });
  before('set another time zone on the server', async () => {
    const { sql, url } = world();
    await sql.query(`alter database ${new URL(url).pathname.slice(1)} set timezone = 'Asia/Tokyo'`);
  });
  afterEach(async () => {
    await database?.close();
    await bouncer?.stop();
    database = bouncer = undefined;
  });

  const connect = async (settings: Readonly<Record<string, string>>, parameters = ''): Promise<Database> => {
    bouncer = await startPgbouncer(world().plainUrl, settings);
    const { clock, ids } = world();
    database = connectPostgres({ url: `${bouncer.url}${parameters}`, clock, ids });
    return database;
  };

  for (const [reaction, settings] of [
    ['refuses', {}],
    ['ignores', IGNORED],
  ] as const) {
    it(`in session mode that ${reaction} startup options reads instants unchanged`, async () => {
      const through = await connect({ pool_mode: 'session', ...settings });
      const user = await storeUser(through, aUser());
      expect(await through.users.find(user.id)).to.deep.equal(user);
      expect(await world().users.find(user.id)).to.deep.equal(user);
      expect((await through.migrations.status()).state).to.equal('current');
    });
  }

  it('has the planner settings of the URL even if the pooler drops startup options', async () => {
    bouncer = await startPgbouncer(world().plainUrl, { pool_mode: 'session', ...IGNORED });
    const pool = makePool({ url: `${bouncer.url}?options=-c%20random_page_cost%3D2`, poolSize: 1 });
    const { rows } = await pool.query<{ cost: string }>(`select current_setting('random_page_cost') as cost`);
    await pool.end();
    expect(rows).to.deep.equal([{ cost: '2' }]);
  });

  it('reports the startup parameter that the pooler refuses', async () => {
    const through = await connect({ pool_mode: 'session' }, '?options=-c%20work_mem%3D8MB');
    const { cause } = await expectRefusal('unavailable', through.ping());
    expect(String(cause)).to.contain(
      "a pooler in front of it refuses the startup parameter options; remove it from the URL, or add it to the pooler's ignore_startup_parameters",
    );
  });

  it('keeps a slow statement, although its server process is not the one that the client knows', async () => {
    bouncer = await startPgbouncer(world().plainUrl, { pool_mode: 'transaction' });
    const pool = makePool({ url: `${bouncer.url}?lock_timeout=0`, poolSize: 1, requestDeadlineMs: 5000 });
    const blocker = await blockers.begin();
    await blocker.run('select pg_advisory_xact_lock(1)');
    const slow = pool.query('select pg_advisory_xact_lock(1), 1 as one');
    // A probe follows after each second without a response, and a connection is given up by the second one.
    await blockers.untilWaiting(1, slow, 2500);
    await blocker.commit();
    expect((await slow).rows).to.deep.equal([{ pg_advisory_xact_lock: '', one: 1 }]);
    await pool.end();
  });

  it('in transaction mode reads dates in the same format on an unchecked server connection', async () => {
    bouncer = await startPgbouncer(world().plainUrl, { pool_mode: 'transaction' });
    const pool = makePool({ url: bouncer.url, poolSize: 1 });
    const other = await connectClient(bouncer.url);
    const read = async (client: Pool | Client): Promise<{ readonly zone: string; readonly pid: number } | undefined> =>
      (await client.query(`select current_setting('timezone') as zone, pg_backend_pid() as pid`)).rows[0];
    const checked = await read(pool);
    // The other client occupies the only server connection, so that pgbouncer opens a second one.
    await other.query('begin');
    expect(await read(other)).to.deep.equal({ zone: 'Asia/Tokyo', pid: checked?.pid });
    const unchecked = await read(pool);
    await other.end();
    await pool.end();
    expect(unchecked?.pid).not.to.equal(checked?.pid);
    expect(unchecked?.zone).to.equal('UTC');
  });
});
