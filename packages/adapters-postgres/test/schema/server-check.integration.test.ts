import { expect } from 'chai';
import { query } from '../../../../test-support/query.ts';
import { serverFault } from '../../src/schema/server-check.ts';
import { useOwnDatabase } from '../support/use-own-database.ts';

const COCKROACH = 'CockroachDB CCL v25.2.3 (x86_64-pc-linux-gnu, built 2025/07/08 15:36:21, go1.23.7)';
const YUGABYTE = 'PostgreSQL 15.12-YB-2025.1.0.1-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit';
const POSTGRES_14 = 'PostgreSQL 14.20 on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit';

describe('A server that cannot hold the schema', () => {
  const { connect, url } = useOwnDatabase();

  /** The servers, and the functions and views with which a database claims to be one of them. */
  const servers: readonly (readonly [string, string, string])[] = [
    [
      'CockroachDB',
      `create function version() returns text language sql return '${COCKROACH}'`,
      'it is CockroachDB, which lacks the extension btree_gin; use PostgreSQL 15 or newer',
    ],
    [
      'YugabyteDB',
      `create function version() returns text language sql return '${YUGABYTE}'`,
      'it is YugabyteDB, which lacks inverted indexes of several columns; use PostgreSQL 15 or newer',
    ],
    [
      'an older PostgreSQL',
      `create function version() returns text language sql return '${POSTGRES_14}';
       create function current_setting(text) returns text language sql
         return case $1 when 'server_version_num' then '140020' else pg_catalog.current_setting($1) end`,
      'it is PostgreSQL 14; use PostgreSQL 15 or newer',
    ],
    [
      'a managed PostgreSQL without one of the extensions',
      `create view pg_available_extensions as
         select * from pg_catalog.pg_available_extensions where name <> 'btree_gin'`,
      "it does not offer the extension btree_gin; install PostgreSQL's contrib modules, or allow the extension in the settings of the managed database",
    ],
  ];
  for (const [name, claim, reason] of servers) {
    it(`is refused before anything changes: ${name}`, async () => {
      await query(url(), `create schema claim; set search_path = claim, pg_catalog; ${claim}`);
      const claiming = new URL(url());
      claiming.searchParams.set('options', '-c search_path=claim,pg_catalog,public');
      const { migrations } = connect(claiming.href);
      for (const migrate of [() => migrations.up(), () => migrations.to(migrations.names[0] ?? '')]) {
        const outcome: unknown = await migrate().catch((error: unknown) => error);
        expect(String(outcome)).to.equal(`Error: the migration was refused: ${reason}`);
      }
      const made = `select relname from pg_class where relname ~ '^(?:schema_migration|user_account)'`;
      expect(await query(url(), made)).to.deep.equal([]);
    });
  }

  it('is not one that lists no extensions but has them, or whose text names another program', () => {
    const version = 'PostgreSQL 15.4 on aarch64-unknown-linux-gnu, compiled by CYBER-YBuilder 1';
    expect(serverFault({ version, number: 150_004, missing: [] })).to.equal(undefined);
  });
});
