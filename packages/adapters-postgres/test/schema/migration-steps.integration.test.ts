import { aUser, makeSequentialIds, makeSettableClock, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test-support/database.ts';
import { query } from '../../../../test-support/query.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { describeSchema } from '../support/describe-schema.ts';

/** The last migration of release 0.1.0. */
const LAST_OF_0_1_0 = '0003-pages-in-an-index';

/** The indexes by which release 0.1.0 searches. An index may have further columns. */
const SEARCHED_BY_0_1_0 = [
  /^CREATE INDEX division_search .*\(name_key gin_trgm_ops/,
  /^CREATE INDEX division_tokens .*search_grams\(name_key\)/,
  /^CREATE INDEX user_account_search .*\(\(\(division_id\)::text\), search gin_trgm_ops/,
  /^CREATE INDEX user_account_tokens .*member_tokens\(/,
];

describe('Migrations', () => {
  let test: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    test = await createTestDatabase();
    database = connectPostgres({ url: test.url, clock: makeSettableClock(), ids: makeSequentialIds() });
  });
  afterEach(async () => {
    await database.close();
    await test.drop();
  });

  it('restore the earlier schema when they are reverted, each one', async () => {
    const { migrations } = database;
    await migrations.up();
    const schemas: Record<string, unknown> = {};
    for (const name of migrations.names.toReversed()) {
      await migrations.to(name);
      schemas[name] = await describeSchema(test.url);
    }
    await migrations.to(null);
    for (const name of atLeast(4, migrations.names)) {
      await migrations.to(name);
      expect(await describeSchema(test.url), name).to.deep.equal(schemas[name]);
    }
  });

  const searchIndexes = async (): Promise<readonly string[]> => {
    const rows = await query(
      test.url,
      `select indexdef from pg_indexes where tablename in ('user_account', 'division') and indexdef like '%USING gin%'
        order by indexname`,
    );
    return rows.map(({ indexdef }) => String(indexdef));
  };

  it('lead back to the indexes of release 0.1.0, and to the newest schema again, without losing data', async () => {
    const { migrations } = database;
    await migrations.up();
    const schema = await describeSchema(test.url);
    const user = await storeUser(database, aUser());
    await migrations.to(LAST_OF_0_1_0);
    const indexes = await searchIndexes();
    expect(indexes).to.have.length(SEARCHED_BY_0_1_0.length);
    for (const [at, pattern] of SEARCHED_BY_0_1_0.entries()) expect(indexes[at]).to.match(pattern);
    await migrations.up();
    expect(await describeSchema(test.url)).to.deep.equal(schema);
    expect(await database.users.find(user.id)).to.deep.equal(user);
  });
});
