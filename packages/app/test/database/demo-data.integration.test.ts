import { connectPostgres, type Database } from '@chapter/adapters-postgres';
import { makeFakePasswordHasher, makeSettableClock, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { query } from '../../../../test-support/query.ts';
import { findDemoAccounts } from '../../src/database/demo-accounts.ts';
import { DEMO_IDS, DEMO_PASSWORD, storeDemoData } from '../../src/database/demo-data.ts';
import { uuidIds } from '../../src/system/clock-and-ids.ts';
import { migrated } from '../cli/operator.ts';

const NAMES = ['leader', 'guest', 'user', 'admin', 'leader.south'] as const;

describe('Demo data', () => {
  const test = useTestDatabase(migrated, { each: true });
  let database: Database;
  beforeEach(() => {
    database = connectPostgres({ url: test.url, clock: makeSettableClock(), ids: uuidIds });
  });
  afterEach(() => database.close());
  const putIn = (more: Partial<Parameters<typeof storeDemoData>[0]> = {}): Promise<boolean> =>
    storeDemoData({ ...database, clock: makeSettableClock(), hasher: makeFakePasswordHasher(), ...more });
  const sql = (text: string) => query(test.url, text);

  it('has an account with the demo password for every role', async () => {
    expect(await putIn()).to.equal(true);
    for (const username of NAMES) {
      const { passwordHash, user } = (await database.credentials.findByUsername(username)) ?? {};
      expect(passwordIn(passwordHash ?? '')).to.equal(DEMO_PASSWORD);
      expect(user?.id).to.equal(DEMO_IDS.users[username]);
      expect(user?.isSuperuser).to.equal(username === 'admin');
      expect(user?.division.name).to.equal(username === 'leader.south' ? 'South' : 'North');
    }
    expect(await database.audit.list({ limit: 100 })).to.have.length(7);
  });

  it('is stored once by two concurrent starts', async () => {
    const both = await Promise.all([putIn(), putIn()]);
    expect(both).to.have.members([true, false]);
  });

  it('is stored by the next start after a start was killed at any step', async () => {
    const hash = () => Promise.reject(new Error('killed while it hashes'));
    expect(await putIn({ hasher: { hash } }).catch(String)).to.equal('Error: killed while it hashes');
    const killed = putIn({
      loadInBulk: (author, work) =>
        database.loadInBulk(author, async (load) => {
          const outcome = await work(load);
          // To the server, this is a process that was killed before its commit.
          await sql(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'idle in transaction'`);
          return outcome;
        }),
    });
    expect(await killed.catch(() => 'killed')).to.equal('killed');
    expect(await sql('select from division')).to.have.length(0);
    expect(await putIn()).to.equal(true);
  });

  describe('is announced', () => {
    const hasher = makeFakePasswordHasher();
    const announced = async (): Promise<readonly string[]> =>
      (await findDemoAccounts({ ...database, hasher })).map(({ username, role }) => `${username}: ${role}`);
    const ALL = [
      'leader: Leader of North',
      'guest: Guest of North',
      'user: User of North',
      'admin: Administrator',
      'leader.south: Leader of South',
    ];
    beforeEach(() => putIn({ hasher }));

    it('with every account that has the demo password, after one verification', async () => {
      const before = hasher.work.count;
      expect(await announced()).to.deep.equal(ALL);
      expect(hasher.work.count - before).to.equal(1);
    });

    it('without accounts that were deleted or cannot log in with the demo password', async () => {
      const changed = await hasher.hash('another password');
      await sql(`update user_account set password_hash = '${changed}' where username = 'leader'`);
      await sql(`update user_account set is_active = false where username = 'guest'`);
      await sql(`update user_account set groups = '{Guest}' where username = 'user'`);
      await sql(`delete from user_account where username = 'admin'`);
      expect(await announced()).to.deep.equal(['user: Guest of North', 'leader.south: Leader of South']);
    });
  });
});
