import { type DivisionUserListField, listQuery, type User } from '@chapter/domain/ports';
import { aUser, changeUser, makeSequentialIds, makeSettableClock, moveUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { Client } from 'pg';
import { query } from '../../../../test-support/query.ts';
import { IDENTITY } from '../../src/connection/known-cluster.ts';
import { makePool } from '../../src/connection/pool.ts';
import type { Runner } from '../../src/connection/statement.ts';
import { makeRunTransaction } from '../../src/connection/transaction.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { readFromReplicas } from '../../src/lists/replicas.ts';
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
    while ((await onReplica('select pg_get_wal_replay_pause_state() as state'))[0]?.['state'] !== 'paused');
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

  it('comes from the primary while an older transaction may still change the division', async () => {
    const older = new Client({ connectionString: servers().primary.url });
    await older.connect();
    await older.query('begin');
    await older.query('select pg_current_xact_id()');
    await changeUser(database, user.id, { firstName: 'Newer' });
    await untilReplayed(servers());
    expect(await listed()).to.deep.equal(['primary', 'Newer']);
    await older.query('commit');
    await older.end();
    await untilReplayed(servers());
    expect(await listed()).to.deep.equal(['replica', 'Newer']);
  });

  it('comes from the replica when all entries of the division were pruned, and it has all that was written', async () => {
    await onPrimary(`delete from audit_entry where '${user.division.id}' in (division_id, left_division_id)`);
    await untilReplayed(servers());
    expect((await listed())[0]).to.equal('replica');
    await whileBehind(async () => {
      await changeUser(database, neighbour.id, { firstName: 'Last' });
      expect((await listed())[0]).to.equal('primary');
    });
  });

  it('comes from a standby of the same cluster and timeline only', async () => {
    const { primary, standby } = servers();
    const identity = `select system::text || '/' || (timeline + offset_)::text as cluster from (select ${IDENTITY}) as server`;
    const read = async (replica: string, offset: number, prefix = '') => {
      const [row] = await onPrimary(identity.replace('offset_', String(offset)));
      const pool = makePool({ url: replica, allowsStandby: true });
      const latest: Runner = { query: async () => [[`${prefix}${String(row?.['cluster'])}`, '1']] as never };
      const { readFrom, reads } = readFromReplicas(latest, [
        { name: 'replica', transactions: makeRunTransaction(pool) },
      ]);
      await readFrom(user.division.id, async () => {});
      await pool.end();
      return reads()['replica'];
    };
    const found = [read(standby.url, 0), read(primary.url, 0), read(standby.url, 1), read(standby.url, 0, '1')];
    expect(await Promise.all(found)).to.deep.equal([1, 0, 0, 0]);
  });

  it('is counted by the replica, too', async () => {
    const before = ofReplica();
    const query = { joinedSince: '2025-01-01', dormantOn: '2025-01-01', limit: 1 };
    expect(await database.directory.count(user.division.id, query)).to.have.length(1);
    expect(ofReplica()).to.equal(before + 1);
  });
});
