import { setTimeout } from 'node:timers/promises';
import { type DivisionUserListField, DomainError, listQuery, OPERATOR, type User } from '@chapter/domain/ports';
import {
  asNewUser,
  aUser,
  changeUser,
  decideChange,
  deleteUser,
  expectRefusal,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { useWorld } from '../support/use-world.ts';

const POOL_SIZE = 3;
const BY_USERNAME = listQuery<DivisionUserListField>({ order: ['username'] });

const OTHERS = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
const WAITS_FOR_LOCK = `select ${OTHERS} and wait_event_type = 'Lock'`;
/** Returns one row once all other connections have been idle for 300 ms. */
const ALL_IDLE = `select ${OTHERS} having min(clock_timestamp() - state_change) > interval '300 ms'`;

describe('A database that becomes unreachable', () => {
  const world = useWorld();
  let network: BreakableNetwork;
  let database: Database;
  let user: User;

  beforeEach(async () => {
    const { clock, ids, url } = world();
    user = await storeUser(world(), aUser());
    network = await makeBreakableNetwork(url);
    database = connectPostgres({ url: network.url, poolSize: POOL_SIZE, acquireTimeoutMs: 10_000, clock, ids });
  });
  afterEach(async () => {
    await database.close();
    await network.close();
  });

  const rename = (firstName: string): Promise<User> => changeUser(database, user.id, { firstName });

  it('is unavailable for reads and writes during the outage, and works again afterwards', async () => {
    await database.ping();
    network.cut();
    for (const attempt of [
      () => database.ping(),
      () => database.users.find(user.id),
      () => database.users.listReferences(user.division.id, BY_USERNAME),
      () => database.actors.find(user.id, user.id),
      () => rename('Ada'),
      () => database.loginLimits.begin({ username: 'ada' }, '192.0.2.0/24'),
      () => database.migrations.status(),
    ]) {
      const { retryAfter } = await expectRefusal('unavailable', attempt());
      expect(retryAfter).to.be.greaterThan(0);
    }
    network.mend();
    expect(await database.users.find(user.id)).to.deep.equal(user);
    expect((await rename('Ada')).firstName).to.equal('Ada');
  });

  it('loses no connection of the pool to repeated outages during changes', async () => {
    for (let time = 0; time < POOL_SIZE * 2; time++) {
      await expectRefusal(
        'unavailable',
        database.users.write(OPERATOR, user, (locked) => {
          network.cut();
          return decideChange(locked, { values: { firstName: 'Half' } });
        }),
      );
      network.mend();
    }
    expect(await world().users.find(user.id)).to.deep.equal(user);
    expect((await rename('Whole')).firstName).to.equal('Whole');
    expect(database.poolUse().waiting).to.equal(0);
  });

  it('loses no connection of the pool to outages during lists that share one', async () => {
    const { sql } = world();
    const list = () => database.users.listReferences(user.division.id, BY_USERNAME);
    const blocker = await sql.connect();
    for (let time = 0; time < POOL_SIZE * 2; time++) {
      await blocker.query('begin; lock table user_account');
      const stuck = Array.from({ length: POOL_SIZE * 4 }, list);
      const over = new AbortController();
      const refusals = stuck.map((response) => expectRefusal('unavailable', response));
      const refused = Promise.all(refusals).finally(() => over.abort());
      // On a very slow machine, all lists are refused before one of them waits.
      while (!over.signal.aborted && (await sql.query(WAITS_FOR_LOCK)).rowCount === 0) await setTimeout(5);
      network.cut();
      await refused;
      network.mend();
      await blocker.query('rollback');
    }
    blocker.release();
    expect((await list()).items).to.deep.equal([{ id: user.id, username: user.username }]);
    expect(database.poolUse().waiting).to.equal(0);
  });

  it('loses no connection of the pool when the server terminates connections', async () => {
    const { sql } = world();
    await sql.query(`create function hang_up() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';
      create trigger hang_up before update on user_account execute function hang_up()`);
    for (let time = 0; time < POOL_SIZE * 2; time++) await expectRefusal('unavailable', rename('Half'));
    await sql.query('drop function hang_up cascade');
    expect((await rename('Whole')).firstName).to.equal('Whole');
  });

  for (const [moment, outcome] of [
    ['before', 'did not'],
    ['after', 'did'],
  ] as const) {
    it(`reports no success, and does not retry, when the response to a commit that ${outcome} happen is lost`, async () => {
      let calls = 0;
      network.cutAt('commit', moment);
      const lost = database.users.write(OPERATOR, user, (locked) => {
        calls += 1;
        return decideChange(locked, { values: { firstName: 'Ada' } });
      });
      await expectRefusal('unavailable', lost);
      expect(calls).to.equal(1);
      // The row lock is free once the server has ended the transaction.
      await world().sql.query('select from user_account where id = $1 for update', [user.id]);
      const entries = await world().audit.list({ userIds: [user.id], limit: 10 });
      const committed = moment === 'after' ? 1 : 0;
      expect(entries.filter(({ action }) => action === 'updateUser')).to.have.lengthOf(committed);
      expect((await database.users.find(user.id))?.firstName).to.equal(committed ? 'Ada' : '');
    });
  }

  it('is unavailable when its connections fall silent, and works again on new ones', async () => {
    const { clock, ids } = world();
    for (const options of [
      { url: network.url, statementTimeoutMs: 500 },
      { url: `${network.url}&statement_timeout=500` },
    ]) {
      const shortTimeout = connectPostgres({ ...options, clock, ids });
      await shortTimeout.ping();
      network.stall();
      await expectRefusal('unavailable', shortTimeout.users.find(user.id));
      expect(await shortTimeout.users.find(user.id)).to.deep.equal(user);
      await shortTimeout.close();
    }
  });

  it('keeps an idle connection open for longer than the limit for silent servers', async () => {
    const { clock, ids, sql, url } = world();
    const idleDatabase = connectPostgres({ url, statementTimeoutMs: 140, clock, ids });
    await idleDatabase.ping();
    while ((await sql.query(ALL_IDLE)).rowCount === 0) await setTimeout(20);
    expect(idleDatabase.poolUse()).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
    await idleDatabase.ping();
    expect(idleDatabase.poolUse().open).to.equal(1);
    await idleDatabase.close();
  });

  it('cancels a statement that takes too long', async () => {
    const { clock, ids, url, sql } = world();
    const shortTimeout = connectPostgres({ url, statementTimeoutMs: 500, clock, ids });
    const blocker = await sql.connect();
    await blocker.query('begin');
    await blocker.query('select from user_account where id = $1 for update', [user.id]);
    const stuck = deleteUser(shortTimeout, user.id);
    await expectRefusal('unavailable', stuck);
    await blocker.query('commit');
    blocker.release();
    await deleteUser(shortTimeout, user.id);
    await shortTimeout.close();
  });

  it('reveals no statement, value or constraint in its errors', async () => {
    const error: unknown = await database.users
      .create(OPERATOR, { ...asNewUser(aUser().of(user.division)), birthdate: 'never', passwordHash: 'hash' }, () => {})
      .catch((refusal: unknown) => refusal);
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(DomainError);
    expect(String(error)).to.equal('Error: the database refused a statement (SQLSTATE 22007)');
    expect((error as Error).cause).to.equal(undefined);
  });
});
