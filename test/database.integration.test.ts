import { expect } from 'chai';
import { Client } from 'pg';
import { createTestDatabase, useTestDatabase } from '../test-support/database.ts';
import { query } from '../test-support/query.ts';

describe('The test database', () => {
  let prepared = 0;
  const prepare = async (url: string): Promise<void> => {
    prepared += 1;
    await query(url, 'create table visit (name text)');
  };
  const database = useTestDatabase(prepare);

  it('is a copy of a prepared database, which is prepared only once', async () => {
    const other = await createTestDatabase(prepare);
    await query(database.url, `insert into visit values ('here')`);
    expect(await query(other.url, 'select * from visit')).to.deep.equal([]);
    expect(await query(database.url, 'select * from visit')).to.deep.equal([{ name: 'here' }]);
    expect(prepared).to.equal(1);
    await other.drop();
  });

  it('is empty without preparation', async () => {
    const { drop, url } = await createTestDatabase();
    expect(await query(url, `select from pg_tables where schemaname = 'public'`)).to.deep.equal([]);
    await drop();
  });

  it('can be dropped while connections are open', async () => {
    const { drop, url } = await createTestDatabase();
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await drop();
    const [{ found } = { found: true }] = (await query(
      database.url,
      `select exists (select from pg_database where datname = '${new URL(url).pathname.slice(1)}') as found`,
    )) as { found: boolean }[];
    expect(found).to.equal(false);
  });

  it('folds case by Unicode, and orders by code point, on every server', async () => {
    expect(await query(database.url, `select lower('ÄÖÜ') as l, 'Z' < 'a' as o`)).to.deep.equal([
      { l: 'äöü', o: true },
    ]);
  });
});
