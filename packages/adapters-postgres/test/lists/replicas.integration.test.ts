import { type DivisionUserListField, listQuery, OPERATOR, type User } from '@chapter/domain/ports';
import { aUser, changeUser, makeSequentialIds, makeSettableClock, moveUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { query, withClient } from '../../../../test-support/query.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { until } from '../support/until.ts';
import { untilReplayed, usePrimaryAndStandby } from '../support/use-primary-and-standby.ts';

const BY_USERNAME = listQuery<DivisionUserListField>({ order: ['username'] });

describe('A list with a replica', () => {
  const servers = usePrimaryAndStandby();
  let database: Database;
  let user: User;
  let neighbour: User;
  const onPrimary = (sql: string) => query(servers().primary.url, sql);
  const onReplica = (sql: string) => query(servers().standby.url, sql);

  before('store users of two divisions', async () => {
    const { primary, standby } = servers();
    const sources = { clock: makeSettableClock(), ids: makeSequentialIds() };
    database = connectPostgres({ url: primary.url, replicaUrls: [standby.url], ...sources });
    await database.migrations.up();
    user = await storeUser(database, aUser());
    neighbour = await storeUser(database, aUser());
    await untilReplayed(servers());
  });
  after(() => database.close());

  const ofReplica = (): number => database.divisionReads()[new URL(servers().standby.url).host] ?? 0;
  /** Returns which server lists a division, and the first names that it lists. */
  const listed = async ({ division }: User = user) => {
    const before = ofReplica();
    const { items } = await database.users.list(division.id, BY_USERNAME);
    return [ofReplica() > before ? 'replica' : 'primary', ...items.map((item) => item.firstName)];
  };
  /** The replica replays nothing during `work`, and everything afterwards. */
  const whileBehind = async (work: () => Promise<void>): Promise<void> => {
    await onReplica('select pg_wal_replay_pause()');
    const paused = 'select pg_get_wal_replay_pause_state() as state';
    await until(async () => (await onReplica(paused))[0]?.['state'] === 'paused');
    try {
      await work();
    } finally {
      await onReplica('select pg_wal_replay_resume()');
    }
    await untilReplayed(servers());
  };

  it('comes from the replica, which lacks only changes of other divisions', async () => {
    await whileBehind(async () => {
      await changeUser(database, neighbour.id, { firstName: 'Neighbour' });
      expect(await listed()).to.deep.equal(['replica', user.firstName]);
      const { primary: before = 0 } = database.divisionReads();
      const both = await Promise.all(
        [neighbour, user].map(({ division }) => database.users.list(division.id, BY_USERNAME)),
      );
      expect(both.map(({ items }) => items[0]?.firstName)).to.deep.equal(['Neighbour', user.firstName]);
      expect(database.divisionReads()['primary']).to.equal(before + 1);
    });
  });

  it('comes from the primary until the replica has the latest change of the division', async () => {
    await whileBehind(async () => {
      await changeUser(database, user.id, { firstName: 'Changed' });
      expect(await listed()).to.deep.equal(['primary', 'Changed']);
    });
    expect(await listed()).to.deep.equal(['replica', 'Changed']);
  });

  it('comes from the primary until the replica knows that a user has left the division', async () => {
    const mover = await storeUser(database, { ...aUser(), division: user.division });
    await untilReplayed(servers());
    await whileBehind(async () => {
      await moveUser(database, mover.id, neighbour.division.id);
      expect(await listed()).to.deep.equal(['primary', 'Changed']);
    });
    expect(await listed()).to.deep.equal(['replica', 'Changed']);
  });

  it('comes from the primary while an older transaction may still change the division, and until the replica has its change', async () => {
    await withClient(servers().primary.url, async (older) => {
      await older.query('begin');
      await older.query('select pg_current_xact_id()');
      await changeUser(database, user.id, { firstName: 'Newer' });
      await untilReplayed(servers());
      expect(await listed()).to.deep.equal(['primary', 'Newer']);
      await whileBehind(async () => {
        await older.query('commit');
        expect(await listed()).to.deep.equal(['primary', 'Newer']);
      });
    });
    expect(await listed()).to.deep.equal(['replica', 'Newer']);
  });

  it('comes from the primary while the replica shows a change that the primary has not acknowledged', async () => {
    const writer = connectPostgres({
      url: servers().primary.url,
      clock: makeSettableClock(),
      ids: makeSequentialIds('019b00000001'),
    });
    await onPrimary(`alter system set synchronous_standby_names = 'absent'`);
    // New sessions obey it; the tests' server turns it off on its command line.
    await onPrimary(`alter database postgres set synchronous_commit = 'on'`);
    await onPrimary('select pg_reload_conf()');
    const change = changeUser(writer, user.id, { firstName: 'Waiting' });
    const stored = `select first_name from user_account where id = '${user.id}'`;
    await until(async () => (await onReplica(stored))[0]?.['first_name'] === 'Waiting');
    const during = await listed();
    await onPrimary(`alter system reset synchronous_standby_names`);
    await onPrimary('select pg_reload_conf()');
    await change;
    await writer.close();
    expect(during).to.deep.equal(['primary', 'Newer']);
    await untilReplayed(servers());
    expect(await listed()).to.deep.equal(['replica', 'Waiting']);
  });

  it('comes from the replica after all entries of the division were pruned, once it has the entry of the prune', async () => {
    await whileBehind(async () => {
      await database.erasure.pruneAudit(OPERATOR, '2100-01-01T00:00:00.000Z');
      expect((await listed())[0]).to.equal('primary');
    });
    expect((await listed())[0]).to.equal('replica');
  });

  it('is counted by the replica, too', async () => {
    const before = ofReplica();
    const query = { joinedSince: '2025-01-01', dormantOn: '2025-01-01', limit: 1 };
    expect(await database.directory.count(user.division.id, query)).to.have.length(1);
    expect(ofReplica()).to.equal(before + 1);
  });
});
