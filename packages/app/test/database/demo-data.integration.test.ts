import { connectPostgres, type Database } from '@chapter/adapters-postgres';
import { makeFakePasswordHasher, makeSettableClock, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test-support/database.ts';
import { DEMO_PASSWORD, storeDemoData } from '../../src/database/demo-data.ts';
import { uuidIds } from '../../src/system/clock-and-ids.ts';
import { call } from '../cli/call.ts';

const migrate = async (url: string): Promise<void> => {
  expect((await call(['migrate'], { variables: { DATABASE_URL: url } })).status).to.equal(0);
};

const NAMES = ['leader', 'guest', 'user', 'admin', 'leader.south'];

describe('Demo data', () => {
  let test: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    test = await createTestDatabase(migrate);
    database = connectPostgres({ url: test.url, clock: makeSettableClock(), ids: uuidIds });
  });
  afterEach(async () => {
    await database.close();
    await test.drop();
  });
  const putIn = async (more: Partial<Parameters<typeof storeDemoData>[0]> = {}): Promise<readonly string[]> => {
    const ports = { clock: makeSettableClock(), ids: uuidIds, hasher: makeFakePasswordHasher() };
    return (await storeDemoData({ ...database, ...ports, ...more })).map(({ username }) => username);
  };
  const sql = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: test.url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  };

  it('has an account for every role, each with the demo password', async () => {
    expect(await putIn()).to.deep.equal(NAMES);
    for (const username of NAMES) {
      const { passwordHash, user } = (await database.credentials.findByUsername(username)) ?? {};
      expect(passwordIn(passwordHash ?? '')).to.equal(DEMO_PASSWORD);
      expect(user?.isSuperuser).to.equal(username === 'admin');
      expect(user?.division.name).to.equal(username === 'leader.south' ? 'South' : 'North');
    }
    expect(await database.audit.list({ limit: 100 })).to.have.length(7);
  });

  it('is hashed one password at a time, so that none waits until it is refused', async () => {
    const hasher = makeFakePasswordHasher();
    let running = 0;
    const hash = async (password: string): Promise<string> => {
      running += 1;
      expect(running).to.equal(1);
      await new Promise(setImmediate);
      running -= 1;
      return hasher.hash(password);
    };
    expect(await putIn({ hasher: { ...hasher, hash } })).to.deep.equal(NAMES);
  });

  it('is put in once', async () => {
    await putIn();
    expect(await putIn()).to.deep.equal([]);
  });

  it('is put in once by two that start at the same moment', async () => {
    const both = await Promise.all([putIn(), putIn()]);
    expect(both.flat()).to.deep.equal(NAMES);
  });

  it('is put in by the next start where one was killed in the middle, whichever middle', async () => {
    const hasher = makeFakePasswordHasher();
    const hash = async (password: string) => {
      if (hasher.work.count === 3) throw new Error('killed while it hashes');
      return hasher.hash(password);
    };
    expect(await putIn({ hasher: { ...hasher, hash } }).catch(String)).to.equal('Error: killed while it hashes');
    const killed = putIn({
      loadInBulk: (author, work) =>
        database.loadInBulk(author, async (load) => {
          const outcome = await work(load);
          // As the server sees a process that is killed before it has committed.
          await sql(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'idle in transaction'`);
          return outcome;
        }),
    });
    expect(await killed.catch(() => 'killed')).to.equal('killed');
    expect(await sql('select from division')).to.have.length(0);
    expect(await putIn()).to.deep.equal(NAMES);
  });
});
