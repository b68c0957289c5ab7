import { OPERATOR } from '@chapter/domain';
import { aUser, changeUser, expectRefusal, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { openClient } from '../../src/connection/checked-client.ts';
import { until } from '../support/until.ts';
import { useConnections } from '../support/use-connections.ts';

describe('Every connection', () => {
  const { alter, backendOf, network, open, world } = useConnections();
  // `once` of node:events would reject with the error of the connection that is removed.
  const nextRemoval = (pool: Pool): Promise<unknown> => new Promise((resolve) => pool.once('remove', resolve));

  it('is replaced when its server reports that it is a standby now', async () => {
    const pool = open();
    const before = await backendOf(pool);
    const removed = nextRemoval(pool);
    network().reportParameter('in_hot_standby', 'off');
    network().reportParameter('in_hot_standby', 'on');
    await removed;
    expect(await backendOf(pool)).not.to.equal(before);
  });

  it('is kept for lists when its server reports that it is a standby', async () => {
    const pool = open({ allowsStandby: true });
    const before = await backendOf(pool);
    network().reportParameter('in_hot_standby', 'on');
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

  it('is refused, without its password in the error, when the server is read-only and the URL has target_session_attrs=read-write', async () => {
    await alter('set default_transaction_read_only = on');
    const url = `${network().url}?target_session_attrs=read-write`;
    for (const connect of [() => open({ url }).query('select'), () => openClient({ url })]) {
      const { cause } = await expectRefusal('unavailable', connect());
      expect(String(cause)).to.contain('it is read-only').and.not.contain(new URL(url).password);
    }
    // The refused connections are closed too.
    await until(() => network().connections === 0);
    for (const attrs of ['any', 'primary']) {
      await open({ url: `${network().url}?target_session_attrs=${attrs}` }).query('select');
    }
  });

  it('is closed when the server refuses a write as read-only', async () => {
    const user = await storeUser(world(), aUser());
    await alter('set default_transaction_read_only = on');
    const database = world().connect({ url: network().url, poolSize: 1 });
    const rename = () => changeUser(database, user.id, { firstName: 'Ada' });
    await expectRefusal('unavailable', rename());
    expect(database.poolUse().open).to.equal(0);
    await alter('reset all');
    expect((await rename()).firstName).to.equal('Ada');
  });

  it('is closed when the server does not respond during the handshake or the check', async () => {
    const pool = open({ acquireTimeoutMs: 500 });
    network().hang();
    await expectRefusal('unavailable', pool.query('select'));
    network().mend();
    network().stallAt('pg_is_in_recovery');
    await expectRefusal('unavailable', pool.query('select'));
    expect(pool.totalCount).to.equal(0);
    network().stallAt('pg_is_in_recovery');
    await expectRefusal('unavailable', openClient({ url: network().url, acquireTimeoutMs: 500 }));
    await pool.query('select');
  });

  it('is closed when the server does not respond during a later check', async () => {
    // Without its own limit, the check would end only with the limit of silent connections, after 30 s.
    const pool = open({ acquireTimeoutMs: 500, checkIntervalMs: 0, allowsSilence: true });
    await pool.query('select');
    network().stallAt('pg_is_in_recovery');
    await expectRefusal('unavailable', pool.query('select'));
    expect(pool.totalCount).to.equal(0);
    await pool.query('select');
  });

  it('is not used for bulk work when the service closes while it is opened', async () => {
    const database = world().connect({ url: network().url });
    network().hang();
    const exporting = expectRefusal(
      'unavailable',
      database.loadInBulk(OPERATOR, async () => {}),
    );
    await database.close();
    network().mend();
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
});
