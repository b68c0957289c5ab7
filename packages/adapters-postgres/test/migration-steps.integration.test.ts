import { aUser, makeSequentialIds, makeSettableClock, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../../../test-support/database.ts';
import { query } from '../../../test-support/query.ts';
import { connectPostgres, type Database } from '../src/index.ts';
import { describeSchema } from './support/describe-schema.ts';

const oldCharactersOf = (column: string): string =>
  `(string_to_array(translate("${column}", 'abcdefghijklmnopqrstuvwxyz0123456789@.', ''), null))`;

const replaceUserSearch = (columns: string): string =>
  `drop index user_account_search;
   create index user_account_search on user_account using gin ((division_id::text), search gin_trgm_ops, groups, is_active,
     is_staff, is_superuser${columns}) with (gin_pending_list_limit = 256)`;

/** What unreleased versions of migrations did. */
const UNRELEASED: Readonly<Record<string, string>> = {
  '0007-one-inverted-index': `${replaceUserSearch('')}; drop index user_account_tokens; drop index division_tokens`,
  '0011-characters-in-user-search': replaceUserSearch(`, ${oldCharactersOf('search')}`),
  '0012-characters-in-division-search': `drop index division_search;
    create index division_search on division using gin (name_key gin_trgm_ops, ${oldCharactersOf('name_key')})`,
};

/** The migration before them. */
const BEFORE_THE_FIRST = '0006-own-sessions';

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
    for (const name of migrations.names) {
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

  /** Migrates to `name` as unreleased versions did. */
  const migrateAsBefore = async (name: string): Promise<void> => {
    const { migrations } = database;
    const { names } = migrations;
    await migrations.to(BEFORE_THE_FIRST);
    for (const one of names.slice(names.indexOf(BEFORE_THE_FIRST) + 1, names.indexOf(name) + 1)) {
      const statements = UNRELEASED[one];
      if (statements === undefined) await migrations.to(one);
      else await query(test.url, `${statements}; insert into schema_migration (name) values ('${one}')`);
    }
  };

  for (const name of Object.keys(UNRELEASED)) {
    it(`lead to the same schema, and back to release 0.1.0, after the unreleased versions up to ${name}`, async () => {
      const { migrations } = database;
      await migrations.up();
      const schema = await describeSchema(test.url);
      await migrations.to(LAST_OF_0_1_0);
      const released = await describeSchema(test.url);

      await migrateAsBefore(name);
      expect((await migrations.status()).applied.at(-1)).to.equal(name);
      const user = await storeUser(database, aUser());
      await migrations.up();
      expect(await describeSchema(test.url)).to.deep.equal(schema);
      await migrations.to(LAST_OF_0_1_0);
      expect(await describeSchema(test.url)).to.deep.equal(released);

      await migrateAsBefore(name);
      await migrations.to(LAST_OF_0_1_0);
      const indexes = await searchIndexes();
      expect(indexes).to.have.length(SEARCHED_BY_0_1_0.length);
      for (const [at, pattern] of SEARCHED_BY_0_1_0.entries()) expect(indexes[at]).to.match(pattern);
      await migrations.up();
      expect(await describeSchema(test.url)).to.deep.equal(schema);
      expect(await database.users.find(user.id)).to.deep.equal(user);
    });
  }
});
