import { DomainError, OPERATOR } from '@chapter/domain';
import { aUser, expectRefusal, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../test-support/breakable-network.ts';
import { openClient } from '../src/connection/checked-client.ts';
import type { ConnectionOptions } from '../src/connection/options.ts';
import { makePool } from '../src/connection/pool.ts';
import { LIFT_TIME_LIMITS } from '../src/connection/session-settings.ts';
import { connectPostgres } from '../src/index.ts';
import { useWorld } from './support/use-world.ts';

describe('Every connection', () => {
  const world = useWorld();
  const pools: Pool[] = [];
  let network: BreakableNetwork;

  const open = (options: Partial<ConnectionOptions> = {}): Pool => {
    const pool = makePool({ url: network.url, poolSize: 1, ...options });
    pools.push(pool);
    return pool;
  };
  const show = async (pool: Pool, name: string): Promise<unknown> =>
    (await pool.query<[string]>({ text: `select current_setting('${name}')`, rowMode: 'array' })).rows[0]?.[0];
  const backendOf = async (pool: Pool): Promise<unknown> =>
    (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  // `once` of node:events would reject with the error of the connection that is removed.
  const nextRemoval = (pool: Pool): Promise<unknown> => new Promise((resolve) => pool.once('remove', resolve));
  const alter = async (setting: string): Promise<void> => {
    const { sql, plainUrl } = world();
    await sql.query(`alter database ${new URL(plainUrl).pathname.slice(1)} ${setting}`);
  };

  beforeEach(async () => {
    network = await makeBreakableNetwork(world().plainUrl);
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await network.close();
    await alter('reset all');
  });

  const SETTINGS = {
    TimeZone: 'UTC',
    DateStyle: 'ISO, YMD',
    IntervalStyle: 'iso_8601',
    client_encoding: 'UTF8',
    standard_conforming_strings: 'on',
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    random_page_cost: '1.1',
    statement_timeout: '15s',
    idle_in_transaction_session_timeout: '15s',
  };

  it('overrides the settings of the database without startup options', async () => {
    for (const setting of [
      `timezone = 'Asia/Tokyo'`,
      `datestyle = 'German'`,
      'standard_conforming_strings = off',
      'random_page_cost = 4',
      `statement_timeout = '1h'`,
    ]) {
      await alter(`set ${setting}`);
    }
    // A pooler would refuse or drop options.
    network.cutAt('options', 'before');
    const pool = open();
    for (const [name, value] of Object.entries(SETTINGS)) expect(await show(pool, name), name).to.equal(value);
  });

  it('has no time limits within a long transaction, and has them again afterwards', async () => {
    const url = `${network.url}?statement_timeout=7000&idle_in_transaction_session_timeout=8000`;
    const client = await openClient({ url });
    const expectLimits = async (statement: string, idle: string): Promise<void> => {
      const { rows } = await client.query(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`);
      expect(rows).to.deep.equal([{ statement, idle }]);
    };
    await client.query('begin');
    await client.query(LIFT_TIME_LIMITS);
    await expectLimits('0', '0');
    await client.query('commit');
    await expectLimits('7s', '8s');
    await client.end();
  });

  it('reads instants unchanged from a server in another time zone', async () => {
    await alter(`set timezone = 'Asia/Tokyo'`);
    const { clock, ids, plainUrl: url } = world();
    const user = await storeUser(world(), aUser());
    const database = connectPostgres({ url, clock, ids });
    expect((await database.users.find(user.id))?.dateJoined).to.equal(user.dateJoined);
    await database.close();
  });

  it('keeps the planner settings and timeouts of its URL, but not the time zone', async () => {
    const options = encodeURIComponent('-c random_page_cost=3 --jit=on -ctimezone=Asia/Tokyo');
    const timeouts = 'statement_timeout=7000&idle_in_transaction_session_timeout=8000';
    const pool = open({ url: `${network.url}?options=${options}&${timeouts}` });
    for (const [name, value] of Object.entries({
      random_page_cost: '3',
      jit: 'on',
      TimeZone: 'UTC',
      max_parallel_workers_per_gather: '0',
      statement_timeout: '7s',
      idle_in_transaction_session_timeout: '8s',
    })) {
      expect(await show(pool, name), name).to.equal(value);
    }
  });

  it('is replaced when a setting that affects the format of dates changes', async () => {
    const pool = open();
    const before = await backendOf(pool);
    await pool.query(`set timezone = 'Asia/Tokyo'`).catch(() => {});
    expect(await show(pool, 'TimeZone')).to.equal('UTC');
    expect(await backendOf(pool)).not.to.equal(before);
  });

  it('is replaced when its server reports that it is a standby now', async () => {
    const pool = open();
    const before = await backendOf(pool);
    const removed = nextRemoval(pool);
    network.reportParameter('in_hot_standby', 'off');
    network.reportParameter('in_hot_standby', 'on');
    await removed;
    expect(await backendOf(pool)).not.to.equal(before);
  });

  it('is kept for lists when its server reports that it is a standby', async () => {
    const pool = open({ allowsStandby: true });
    const before = await backendOf(pool);
    network.reportParameter('in_hot_standby', 'on');
    expect(await backendOf(pool)).to.equal(before);
  });

  describe('to a server that becomes a standby without reporting it', () => {
    // Makes a primary respond like a standby.
    const FAKE_ROLE = `create schema fake; create table fake.role (is_standby boolean);
      insert into fake.role values (false);
      grant usage on schema fake to public; grant select on fake.role to public;
      create function fake.pg_is_in_recovery() returns boolean language sql as 'select is_standby from fake.role'`;

    before(() => world().sql.query(FAKE_ROLE));
    beforeEach(() => alter('set search_path = fake, pg_catalog, public'));
    afterEach(() => world().sql.query('update fake.role set is_standby = false'));

    it('is checked again, and refused as soon as its server is a standby', async () => {
      const pool = open({ checkIntervalMs: 0 });
      await pool.query('select');
      await world().sql.query('update fake.role set is_standby = true');
      const { cause } = await expectRefusal('unavailable', pool.query('select'));
      expect(String(cause)).to.contain('it is a standby');
      expect(pool.totalCount).to.equal(0);
    });

    it('is not checked again before the interval ends, and is kept for lists', async () => {
      for (const options of [{}, { checkIntervalMs: 0, allowsStandby: true }]) {
        const pool = open(options);
        await pool.query('select');
        await world().sql.query('update fake.role set is_standby = true');
        await pool.query('select');
        await world().sql.query('update fake.role set is_standby = false');
      }
    });
  });

  it('is refused when the server is read-only and the URL has target_session_attrs=read-write', async () => {
    await alter('set default_transaction_read_only = on');
    const querying = open({ url: `${network.url}?target_session_attrs=read-write` }).query('select');
    const { cause } = await expectRefusal('unavailable', querying);
    expect(String(cause)).to.contain('it is read-only');
    // The refused connection is closed too.
    while (network.connections > 0) await new Promise(setImmediate);
    for (const attrs of ['any', 'primary']) {
      await open({ url: `${network.url}?target_session_attrs=${attrs}` }).query('select');
    }
  });

  it('is closed when the server refuses a write as read-only', async () => {
    const { clock, ids } = world();
    const user = await storeUser(world(), aUser());
    await alter('set default_transaction_read_only = on');
    const database = connectPostgres({ url: network.url, clock, ids, poolSize: 1 });
    const rename = () =>
      database.users.update(OPERATOR, user.id, ({ user: stored }) => ({
        user: { ...stored, firstName: 'Ada' },
        endsSessions: false,
      }));
    await expectRefusal('unavailable', rename());
    expect(database.poolUse().open).to.equal(0);
    await alter('reset all');
    expect((await rename()).firstName).to.equal('Ada');
    await database.close();
  });

  it('is closed when the server does not respond during the handshake or the check', async () => {
    const pool = open({ acquireTimeoutMs: 200 });
    network.hang();
    await expectRefusal('unavailable', pool.query('select'));
    network.mend();
    network.fallSilentAt('pg_is_in_recovery');
    await expectRefusal('unavailable', pool.query('select'));
    expect(pool.totalCount).to.equal(0);
    network.fallSilentAt('pg_is_in_recovery');
    await expectRefusal('unavailable', openClient({ url: network.url, acquireTimeoutMs: 200 }));
    await pool.query('select');
  });

  it('is closed when the server does not respond during a later check', async () => {
    // Without its own limit, the check would end only with the limit of silent connections, after 30 s.
    const pool = open({ acquireTimeoutMs: 200, checkIntervalMs: 0, allowsSilence: true });
    await pool.query('select');
    network.fallSilentAt('pg_is_in_recovery');
    await expectRefusal('unavailable', pool.query('select'));
    expect(pool.totalCount).to.equal(0);
    await pool.query('select');
  });

  it('is not used for bulk work when the service closes while it is opened', async () => {
    const { clock, ids } = world();
    const database = connectPostgres({ url: network.url, clock, ids });
    network.hang();
    const exporting = expectRefusal('unavailable', database.exportInBulk({}, { withHashes: false }));
    await database.close();
    network.mend();
    await exporting;
  });

  it('is replaced after its lifetime', async () => {
    const pool = open({ maxLifetimeMs: 20 });
    await pool.query('select');
    if (pool.totalCount > 0) await nextRemoval(pool);
    expect(pool.totalCount).to.equal(0);
  });

  it('is replaced after 24 to 30 minutes by default, each connection after another time', async () => {
    const pool = open({ poolSize: 3 });
    const lifetimes = new Set<number>();
    for (let time = 0; time < 3; time++) {
      lifetimes.add(pool.options.maxLifetimeSeconds);
      (await pool.connect()).release(true);
    }
    expect(lifetimes.size).to.equal(3);
    for (const seconds of lifetimes) expect(seconds).to.be.within(24 * 60, 30 * 60);
  });

  it('does not reveal the password when it is refused', async () => {
    await alter('set default_transaction_read_only = on');
    const url = new URL(network.url);
    url.searchParams.set('target_session_attrs', 'read-write');
    const refusal = await openClient({ url: url.href }).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(DomainError);
    expect(String((refusal as DomainError).cause)).not.to.contain(url.password);
  });
});
