import { aUser, makeSequentialIds, makeSettableClock, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { connectClient, query } from '../../../../test-support/query.ts';
import { makeDiagnosis } from '../../src/database/diagnosis.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { until } from '../support/until.ts';
import { untilReplayed, usePrimaryAndStandby } from '../support/use-primary-and-standby.ts';

describe('The diagnosis of a database', () => {
  const servers = usePrimaryAndStandby({ max_connections: '40', superuser_reserved_connections: '5' });
  let database: Database;

  before('migrate', async () => {
    const { primary, standby } = servers();
    const context = { clock: makeSettableClock(), ids: makeSequentialIds() };
    const withoutTables = Object.assign(new URL(standby.url), { pathname: 'template1' }).href;
    const replicaUrls = [standby.url, primary.url, withoutTables, `${standby.url}_absent`];
    database = connectPostgres({ url: primary.url, replicaUrls, ...context });
    await database.migrations.up();
  });
  after('close', () => database.close());

  it('counts free connections, and finds the oldest transaction of another session', async () => {
    const { url } = servers().primary;
    const before = await database.diagnosis.load();
    expect(before).to.deep.include({ oldest: null, largest: null });
    expect(before.connections.usable).to.equal(35);
    const first = await connectClient(url, `set application_name = 'client-0'`, 'begin');
    const second = await connectClient(url, 'begin');
    const { connections, oldest } = await database.diagnosis.load();
    expect(before.connections.free - connections.free).to.equal(2);
    expect(oldest).to.include({ applicationName: 'client-0' });
    expect(oldest?.seconds).to.be.within(0, 60);
    await Promise.all([first.end(), second.end()]);
  });

  it('estimates the users of the largest division, and knows the sizes of tables', async () => {
    await storeUser(database, aUser());
    const { division } = await storeUser(database, aUser());
    await storeUser(database, aUser().of(division));
    await query(servers().primary.url, 'analyze user_account');
    const { largest, tableBytes } = await database.diagnosis.load();
    expect(largest).to.deep.equal({ divisionId: division.id, users: 2 });
    expect(tableBytes).to.include.keys('user_account', 'audit_entry').and.not.include.keys('user_account_pkey');
    expect(tableBytes['user_account']).to.be.greaterThan(8192);
  });

  it('waits for no lock of a table', async () => {
    const locker = await connectClient(servers().primary.url, 'begin', 'lock table user_account, audit_entry');
    expect((await database.diagnosis.load()).tableBytes['user_account']).to.be.greaterThan(8192);
    await locker.end();
  });

  it('asks nothing about replicas if there are none', async () =>
    expect(await makeDiagnosis({ query: () => expect.fail() }, []).replicas()).to.deep.equal([]));

  it('tells a replica that lacks changes from one that has all', async () => {
    const { primary, standby } = servers();
    await untilReplayed(servers());
    const [replica, writable, empty, absent] = await database.diagnosis.replicas();
    expect(replica).to.deep.equal({
      url: standby.url,
      name: new URL(standby.url).host,
      isStandby: true,
      secondsBehind: null,
    });
    expect(writable).to.include({ url: primary.url, isStandby: false });
    expect(empty).to.have.property('error').that.matches(/42P01/);
    expect(absent).to.have.property('error').that.is.an('error');
    await query(standby.url, 'select pg_wal_replay_pause()');
    await query(primary.url, 'create table written ()');
    // The primary may write its log, and the standby pause, a moment later.
    let behind: number | null | undefined = null;
    await until(async () => {
      const [state] = await database.diagnosis.replicas();
      behind = state && 'secondsBehind' in state ? state.secondsBehind : undefined;
      return behind !== null;
    });
    expect(behind).to.be.within(0, 600);
    await query(standby.url, 'select pg_wal_replay_resume()');
  });
});
