import { actorOf, isDomainError, OPERATOR, type User } from '@chapter/domain';
import {
  aUser,
  changeUser,
  decideChange,
  expectRefusal,
  makeSequentialIds,
  makeSettableClock,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { startEmbedded } from '../../../../test-support/postgres/embedded.ts';
import type { PostgresServer } from '../../../../test-support/postgres/server.ts';
import { query } from '../../../../test-support/query.ts';
import type { ConnectionOptions } from '../../src/connection/options.ts';
import { makePool } from '../../src/connection/pool.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { by } from '../support/changes.ts';
import { until } from '../support/until.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

const POOL_SIZE = 4;
const IS_SILENT = 'Error: the database server is silent';

/** Returns whether a call succeeds. @throws its error unless that is `unavailable`. */
const succeeds = (call: () => Promise<unknown>): Promise<boolean> =>
  call().then(
    () => true,
    (error: unknown) => {
      if (isDomainError(error) && error.code === 'unavailable') return false;
      throw error;
    },
  );
const answers = (pool: Pool): Promise<boolean> =>
  pool.query('select').then(
    () => true,
    () => false,
  );
const causeOf = async (call: Promise<unknown>): Promise<string> =>
  String((await expectRefusal('unavailable', call)).cause);

describe('A database that falls silent', () => {
  const { world, blockers } = useBlockedWorld();
  let network: BreakableNetwork;
  const open: Database[] = [];
  let user: User;

  const connect = (options: Partial<ConnectionOptions> = {}): Database => {
    const { clock, ids, url } = world();
    const usual = { url: url.replace(new URL(url).host, new URL(network.url).host), poolSize: POOL_SIZE };
    const database = connectPostgres({
      ...usual,
      requestDeadlineMs: 1000,
      acquireTimeoutMs: 600,
      clock,
      ids,
      ...options,
    });
    open.push(database);
    return database;
  };
  const rename = (database: Database): Promise<User> => changeUser(database, user.id, { firstName: 'Ada' });

  beforeEach(async () => {
    network = await makeBreakableNetwork(world().plainUrl);
    user = await storeUser(world(), aUser());
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((database) => database.close()));
    await network.close();
  });

  for (const [when, prepare] of [
    ['on the connections in use', (database: Database) => database.ping()],
    ['before the first connection', () => Promise.resolve()],
  ] as const) {
    it(`refuses reads and writes at once until a probe is answered: ${when}`, async () => {
      const database = connect();
      await prepare(database);
      network.hang();
      const waiting = Array.from({ length: 16 }, () => [database.users.find(user.id), rename(database)]).flat();
      await Promise.all(waiting.map((call) => expectRefusal('unavailable', call)));
      expect(await causeOf(database.ping())).to.equal(IS_SILENT);
      expect(await causeOf(rename(database))).to.equal(IS_SILENT);
      expect(await causeOf(database.loginLimits.begin({ username: 'ada' }, '192.0.2.0/24'))).to.equal(IS_SILENT);
      network.mend();
      await until(() => succeeds(() => database.ping()));
      expect((await rename(database)).firstName).to.equal('Ada');
    });
  }

  it('differs from one in which a statement waits for a lock', async () => {
    const database = connect({ requestDeadlineMs: 5000 });
    const blocker = await blockers.begin();
    await blocker.run('select from user_account where id = $1 for update', user.id);
    const waiting = rename(database);
    // A server that answered no probe would be silent after half of the deadline.
    await blockers.untilWaiting(1, waiting, 2600);
    await database.ping();
    await blocker.commit();
    expect((await waiting).firstName).to.equal('Ada');
  });

  it('differs from one whose network has lost a connection, which is replaced', async () => {
    const database = connect({ poolSize: 1 });
    await database.ping();
    network.stall();
    expect(await causeOf(database.users.find(user.id))).to.match(/the server is silent|connection timeout/);
    await until(() => succeeds(() => database.ping()));
    expect(database.poolUse().open).to.equal(1);
  });

  it('does not keep a pool from closing', async () => {
    const database = connect();
    await database.ping();
    network.hang();
    const waiting = Array.from({ length: POOL_SIZE }, () => expectRefusal('unavailable', database.users.find(user.id)));
    await open.pop()?.close();
    await Promise.all(waiting);
  });

  it('stores no change whose request was given up before its COMMIT', async () => {
    const database = connect();
    let isAbandoned = false;
    const origin = { requestId: null, network: null, isAbandoned: () => isAbandoned };
    const late = database.users.write({ ...OPERATOR, origin }, { id: user.id }, (locked) => {
      isAbandoned = true;
      return decideChange(locked, { values: { firstName: 'Late' } });
    });
    await expectRefusal('unavailable', late);
    expect(await world().users.find(user.id)).to.deep.equal(user);
  });
});

describe('A primary whose synchronous standby is absent', () => {
  const context = { clock: makeSettableClock(), ids: makeSequentialIds() };
  let server: PostgresServer;
  let network: BreakableNetwork;
  let url: string;
  let user: User;

  const count = async (condition: string): Promise<number> =>
    Number((await query(server.url, `select count(*) from pg_stat_activity where ${condition}`))[0]?.['count']);
  const countWaiting = () => count("wait_event = 'SyncRep'");
  const countConnected = () => count("application_name = 'chapter'");
  /** Ends the waits, as the return of the standby would. */
  const endWaits = () =>
    query(server.url, `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);

  before('start a primary', async () => {
    // Transactions wait for the standby only where the URL says so.
    server = await startEmbedded({ synchronous_standby_names: 'absent' });
    network = await makeBreakableNetwork(server.url);
    url = `${network.url}?options=-c%20synchronous_commit%3Don`;
    const database = connectPostgres({ url: server.url, ...context });
    await database.migrations.up();
    user = await storeUser(database, aUser());
    await database.close();
  });
  after('stop it', async () => {
    await network.close();
    await server.stop();
  });

  it('serves reads, while the commits that wait hold at most half of the connections', async () => {
    const database = connectPostgres({
      url,
      poolSize: POOL_SIZE,
      requestDeadlineMs: 3000,
      acquireTimeoutMs: 500,
      ...context,
    });
    const attempts = Array.from({ length: 6 }, (_, at) =>
      database.loginLimits.begin({ username: `user-${at}` }, `192.0.${at}.0/24`),
    );
    const changes = [changeUser(database, user.id, { firstName: 'Ada' }), ...attempts];
    let refused = 0;
    for (const change of changes) change.catch(() => (refused += 1));
    await until(async () => (await countWaiting()) === POOL_SIZE / 2);
    while (refused < changes.length - POOL_SIZE / 2) {
      expect(await database.users.find(user.id)).to.deep.equal(user);
      expect(await countConnected()).to.be.at.most(POOL_SIZE + 1);
    }
    // Several probes look for the processes, each in at least four trips.
    const trips = network.trips + 16;
    await until(() => network.trips >= trips);
    expect(await database.users.find(user.id)).to.deep.equal(user);
    expect(await countWaiting()).to.equal(POOL_SIZE / 2);
    await endWaits();
    const succeeded = (await Promise.allSettled(changes)).filter(({ status }) => status === 'fulfilled');
    expect(succeeded).to.have.lengthOf(POOL_SIZE / 2);
    await database.close();
  });

  for (const way of ['in a transaction', 'by compare-and-swap']) {
    it(`waits for the commit of a change ${way} that was sent before the server fell silent`, async () => {
      const limits = { poolSize: POOL_SIZE, requestDeadlineMs: 1000, acquireTimeoutMs: 600 };
      const database = connectPostgres({ url, ...limits, ...context });
      const present = (await database.users.find(user.id)) ?? expect.fail();
      const known = way === 'by compare-and-swap' ? { actor: actorOf(present), user: present } : undefined;
      const changed = database.users.write(by(present), { id: user.id, known }, (locked) =>
        decideChange(locked, { values: { lastName: way } }),
      );
      await until(async () => (await countWaiting()) === 1);
      network.hang();
      await until(async () => (await causeOf(database.ping())) === IS_SILENT);
      network.mend();
      await endWaits();
      expect((await changed).lastName).to.equal(way);
      await database.close();
    });
  }

  it('keeps the place of a connection that was given up until its process has ended', async () => {
    const pool = makePool({ url, poolSize: 1, requestDeadlineMs: 3000, acquireTimeoutMs: 1000 });
    await query(server.url, 'create table note ()');
    const lost = pool.query('insert into note default values').then(
      () => 'stored',
      () => 'lost',
    );
    await until(async () => (await countWaiting()) === 1);
    network.hang();
    expect(await lost).to.equal('lost');
    expect(pool.isSilent).to.equal(true);
    network.mend();
    await until(() => !pool.isSilent);
    const refusal: unknown = await pool.query('select').catch((error: unknown) => error);
    expect(String(refusal)).to.contain('timeout exceeded when trying to connect');
    expect([pool.totalCount, await countWaiting()]).to.deep.equal([1, 1]);
    await endWaits();
    await until(() => answers(pool));
    await pool.end();
  });
});
