import { type DivisionUserListField, DomainError, listQuery, OPERATOR, type User } from '@chapter/domain/ports';
import { asNewUser, aUser, changeUser, decideChange, expectRefusal, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import type { Database } from '../../src/index.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const BY_USERNAME = listQuery<DivisionUserListField>({ order: ['username'] });

const OTHERS = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
/** Returns one row once all other connections have been idle for 300 ms. */
const ALL_IDLE = `select ${OTHERS} having min(clock_timestamp() - state_change) > interval '300 ms'`;

describe('A database that becomes unreachable', () => {
  const world = useWorld();
  let network: BreakableNetwork;
  let database: Database;
  let user: User;

  beforeEach(async () => {
    user = await storeUser(world(), aUser());
    network = await makeBreakableNetwork(world().url);
    database = world().connect({ url: network.url, acquireTimeoutMs: 10_000 });
  });
  afterEach(() => network.close());

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
    for (const options of [
      { url: network.url, statementTimeoutMs: 500 },
      { url: `${network.url}&statement_timeout=500` },
    ]) {
      const shortTimeout = world().connect(options);
      await shortTimeout.ping();
      network.stall();
      await expectRefusal('unavailable', shortTimeout.users.find(user.id));
      expect(await shortTimeout.users.find(user.id)).to.deep.equal(user);
    }
  });

  it('keeps an idle connection open for longer than the limit for silent servers', async () => {
    const { connect, sql } = world();
    const idleDatabase = connect({ statementTimeoutMs: 140 });
    await idleDatabase.ping();
    await until(async () => (await sql.query(ALL_IDLE)).rowCount !== 0);
    expect(idleDatabase.poolUse()).to.deep.equal({ open: 1, idle: 1, waiting: 0 });
    await idleDatabase.ping();
    expect(idleDatabase.poolUse().open).to.equal(1);
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
