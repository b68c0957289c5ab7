import { OPERATOR, type User } from '@chapter/domain/ports';
import {
  aUser,
  changeUser,
  expectRefusal,
  makeSequentialIds,
  makeSettableClock,
  storeUser,
  untilSettled,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { hasPgbouncer, startPgbouncer } from '../../../../test-support/pgbouncer.ts';
import { query } from '../../../../test-support/query.ts';
import { skip } from '../../../../test-support/skip.ts';
import { makePool } from '../../src/connection/pool.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { makeUserLookUps } from '../../src/users/user-look-ups.ts';
import { until } from '../support/until.ts';
import { untilReplayed, urlWithHosts, usePrimaryAndStandby } from '../support/use-primary-and-standby.ts';

describe('A primary and its standby', () => {
  const servers = usePrimaryAndStandby();
  const context = { clock: makeSettableClock(), ids: makeSequentialIds() };
  const open: Database[] = [];
  let user: User;

  const connect = (url: string): Database => {
    const database = connectPostgres({ url, ...context });
    open.push(database);
    return database;
  };
  const rename = (database: Database, firstName: string): Promise<User> => changeUser(database, user.id, { firstName });

  before('write to the primary and wait for the standby', async () => {
    const database = connect(servers().primary.url);
    await database.migrations.up();
    user = await storeUser(database, aUser());
    await untilReplayed(servers());
  });
  afterEach(() => Promise.all(open.splice(0).map((database) => database.close())));

  it('refuses every request while connected to a standby instead of the primary', async () => {
    const database = connect(servers().standby.url);
    for (const attempt of [
      () => database.ping(),
      () => database.users.find(user.id),
      () => database.actors.find(user.id, user.id),
      () => rename(database, 'Ada'),
      () => database.migrations.up(),
      () => database.exportInBulk(OPERATOR, {}, { withHashes: false }),
    ]) {
      const { cause } = await expectRefusal('unavailable', attempt());
      expect(String(cause)).to.contain(
        'it is a standby, which may not know yet that a user is suspended; connect to the primary',
      );
    }
  });

  it('connects to the primary when the URL names the standby first, with every value of target_session_attrs', async () => {
    const { primary, standby } = servers();
    for (const attrs of [
      '',
      '?target_session_attrs=any',
      '?target_session_attrs=primary',
      '?target_session_attrs=read-write',
    ]) {
      const database = connect(`${urlWithHosts(standby, primary)}${attrs}`);
      expect((await rename(database, 'Ada')).firstName).to.equal('Ada');
      expect(await database.migrations.up()).to.deep.equal([]);
      expect(await database.exportInBulk(OPERATOR, {}, { withHashes: false })).to.deep.equal({});
    }
  });

  it('refuses the standby on a connection that pgbouncer keeps after a failover', async function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
    const { primary, standby } = servers();
    const network = await makeBreakableNetwork(primary.url);
    const bouncer = await startPgbouncer(network.url, { pool_mode: 'transaction' });
    const pool = makePool({ url: bouncer.url, poolSize: 1, checkIntervalMs: 0 });
    await pool.query('select');
    network.redirectTo(standby.url);
    const ask = 'select pg_is_in_recovery() as is_standby';
    await until(async () => (await query(bouncer.url, ask))[0]?.['is_standby'] === true);
    const { cause } = await expectRefusal('unavailable', pool.query('select'));
    expect(String(cause)).to.contain('it is a standby');
    await pool.end();
    await bouncer.stop();
    await network.close();
  });

  it('reads no caller and no user from a standby to which a pooler has switched since the latest check', async () => {
    // Such a connection has passed its check.
    const pool = makePool({ url: servers().standby.url, poolSize: 1, allowsStandby: true });
    const { actors, find } = makeUserLookUps(runnerOn(pool));
    for (const attempt of [() => actors.find(user.id, user.id), () => find(user.id)]) {
      await expectRefusal('unavailable', attempt());
      expect(pool.totalCount).to.equal(0);
    }
    await pool.end();
  });

  // Must be the last test: it ends the primary.
  it('works again after a failover, without a restart, but with no position of before', async () => {
    const { primary, standby } = servers();
    const database = connect(urlWithHosts(primary, standby));
    expect((await rename(database, 'Before')).firstName).to.equal('Before');
    await untilSettled(database, user.division.id);
    const read = (position: string) => database.changes.list(user.division.id, { side: 'after', position, size: 100 });
    const { after: position = '' } = (await read('')) ?? {};
    expect((await read(position))?.entries).to.deep.equal([]);
    await primary.stop();
    const { cause } = await expectRefusal(
      'unavailable',
      database.ping().then(() => database.ping()),
    );
    expect(cause).to.be.instanceOf(Error);
    await query(standby.url, 'select pg_promote()');
    expect((await rename(database, 'After')).firstName).to.equal('After');
    // The standby may have lost changes that a client has read.
    await query(standby.url, 'checkpoint');
    expect(await read(position)).to.equal(null);
  });
});
