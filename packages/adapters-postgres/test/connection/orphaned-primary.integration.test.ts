import type { User } from '@chapter/domain';
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
import { startEmbedded } from '../../../../test-support/postgres/embedded.ts';
import type { PostgresServer } from '../../../../test-support/postgres/server.ts';
import { query } from '../../../../test-support/query.ts';
import { watchPrimary } from '../../src/connection/primary-watch.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { until } from '../support/until.ts';
import { untilReplayed, urlWithHosts, usePrimaryAndStandby } from '../support/use-primary-and-standby.ts';

const SESSION_ID = '00000000-0000-4000-8000-0000000005e5';

const systemOf = async ({ url }: PostgresServer): Promise<string> =>
  String((await query(url, 'select system_identifier::text as id from pg_control_system()'))[0]?.['id']);

describe('A primary that continues while its standby is promoted', () => {
  // Its commits wait for the standby, without end once that is promoted.
  const servers = usePrimaryAndStandby({ synchronous_commit: 'on', synchronous_standby_names: '*' });
  const context = { clock: makeSettableClock(), ids: makeSequentialIds() };
  const open: Database[] = [];
  let foreign: PostgresServer;
  let foreignSystem: string;
  let user: User;
  /** Connected before the promotion. */
  let database: Database;

  const connect = (...hosts: readonly { readonly url: string }[]): Database => {
    const connected = connectPostgres({ url: urlWithHosts(...hosts), ...context });
    open.push(connected);
    return connected;
  };
  const findCaller = (from: Database) => from.actors.find(user.id, SESSION_ID);
  const refusals = (from: Database): readonly string[] =>
    from.refusedHosts().map((refusal) => refusal.replace(new URL(servers().primary.url).host, 'PRIMARY'));

  before('serve from the primary', async () => {
    const { primary, standby } = servers();
    database = connect(primary, standby);
    await database.ping();
    await database.migrations.up();
    user = await storeUser(database, aUser(), 'hash');
    const token = { digest: 'digest', lifetime: 3600, sessionLifetime: 3600 };
    await database.sessions.start({ id: SESSION_ID, userId: user.id, userAgent: null, ...token }, 'hash');
    await untilReplayed(servers());
    foreign = await startEmbedded();
    foreignSystem = await systemOf(foreign);
    await query(foreign.url, `alter role postgres password '${new URL(primary.url).password}'`);
  });
  after(async () => {
    await Promise.all(open.map((connected) => connected.close()));
    await foreign.stop();
  });

  const LEFT = 'it left its cluster: it is a primary on timeline 1, and another host was promoted to timeline 2';

  it('is left by all its connections, also by one that waits for its COMMIT, and a suspended user stays suspended', async () => {
    const { primary, standby } = servers();
    expect(refusals(database)).to.deep.equal([]);
    expect(await findCaller(database)).to.include({ id: user.id });
    const untilWaits = async (server: PostgresServer, event: string): Promise<void> => {
      const waiting = `select from pg_stat_activity where wait_event = '${event}'`;
      await until(async () => (await query(server.url, waiting)).length > 0);
    };
    const [receiver] = await query(standby.url, 'select pid from pg_stat_wal_receiver');
    const signalReceiver = (signal: NodeJS.Signals) => process.kill(Number(receiver?.['pid']), signal);
    // The standby confirms nothing any more, so the change waits for its COMMIT before the database knows of the promotion.
    signalReceiver('SIGSTOP');
    const lost = expectRefusal('unavailable', changeUser(database, user.id, { firstName: 'Lost' }));
    let promoted: Promise<unknown>;
    try {
      await untilWaits(primary, 'SyncRep');
      promoted = query(standby.url, 'select pg_promote()');
      await untilWaits(standby, 'WalReceiverExit');
    } finally {
      signalReceiver('SIGCONT');
    }
    await promoted;
    await changeUser(connect(standby), user.id, { isActive: false });
    expect(String((await lost).cause)).to.contain(LEFT);
    for (let request = 0; request < 10; request += 1) expect(await findCaller(database)).to.equal(null);
    expect(await database.health()).to.include({ reads: true, writes: true });
    expect(refusals(database)).to.deep.equal([`PRIMARY: ${LEFT}`]);
    expect((await changeUser(database, user.id, { firstName: 'Kept' })).firstName).to.equal('Kept');
  });

  it('is not chosen by an instance that starts later, although the URL names it first', async () => {
    const { primary, standby } = servers();
    const later = connect(primary, standby);
    await later.ping();
    expect(await findCaller(later)).to.equal(null);
    expect(refusals(later)).to.deep.equal([`PRIMARY: ${LEFT}`]);
  });

  it('decides which cluster it is if the URL names it first, also if another cluster responds earlier', async () => {
    const slow = await makeBreakableNetwork(servers().primary.url);
    const fast = await makeBreakableNetwork(foreign.url);
    slow.hang();
    const watch = watchPrimary({ url: urlWithHosts(slow, fast) }, 20);
    const started = watch.start();
    // It has responded, and has been asked again.
    await until(() => fast.trips >= 10);
    expect(watch.refusedHosts()).to.deep.equal([]);
    slow.mend();
    await started;
    expect(watch.refusedHosts().join()).to.match(
      new RegExp(`^${new URL(fast.url).host}: it belongs to another cluster`),
    );
    watch.close();
    await Promise.all([slow.close(), fast.close()]);
  });

  it('is not used, nor is another cluster, while the promoted server is down', async () => {
    const { primary, standby } = servers();
    const instance = connect(standby, foreign, primary);
    await instance.ping();
    const ownSystem = await systemOf(standby);
    const foreignFault = `it belongs to another cluster: its system identifier is ${foreignSystem}, that of the other hosts ${ownSystem}`;
    const faults = [`${new URL(foreign.url).host}: ${foreignFault}`, `PRIMARY: ${LEFT}`];
    expect(refusals(instance)).to.deep.equal(faults);
    await standby.stop();
    const { cause } = await expectRefusal(
      'unavailable',
      instance.ping().then(() => instance.ping()),
    );
    const { errors } = cause as AggregateError;
    const reasons = errors.map(({ cause: reason }: Error) => String((reason as Error).cause));
    expect(reasons[1]).to.contain(foreignFault);
    expect(reasons[2]).to.contain(LEFT);
    expect(refusals(instance)).to.deep.equal(faults);
  });
});
