import { expect } from 'chai';
import { asRole } from '../../../../test-support/database.ts';
import { query } from '../../../../test-support/query.ts';
import type { Database } from '../../src/index.ts';
import { useOwnDatabase } from '../support/use-own-database.ts';

describe('The search path of the serving role', () => {
  const { connect, url } = useOwnDatabase();
  let ownerUrl: string;
  let serving: string;
  /** Quoted names for statements. */
  let named: { readonly owner: string; readonly role: string; readonly database: string };

  const migrated = async (): Promise<Database> => {
    const database = connect(ownerUrl);
    await database.migrations.up();
    return database;
  };
  const servedState = async (): Promise<string> => (await connect(serving).migrations.status()).state;

  beforeEach(async () => {
    [ownerUrl, serving] = [await asRole(url(), 'owner_of_path'), await asRole(url(), 'path')];
    named = {
      owner: `"${new URL(ownerUrl).username}"`,
      role: `"${new URL(serving).username}"`,
      database: `"${new URL(url()).pathname.slice(1)}"`,
    };
    await query(url(), `alter database ${named.database} owner to ${named.owner}`);
  });

  it('must be set when the owner has a schema with its own name', async () => {
    const { owner, role, database } = named;
    await query(ownerUrl, `create schema ${owner}`);
    const { migrations } = await migrated();
    const printed = [`alter role ${role} in database ${database} set search_path = ${owner}, "public"`];
    expect((await migrations.grantTo(serving)).refused).to.deep.equal(printed);
    expect(await servedState()).to.equal('older');
    await query(url(), printed.join(';'));
    expect((await migrations.grantTo(serving)).refused).to.deep.equal([]);
    expect(await servedState()).to.equal('current');
  });

  it('must be set when the role would find another table of migrations first', async () => {
    const { owner, role } = named;
    await query(url(), `create schema ${role} authorization ${owner}; create schema other`);
    await query(url(), `grant usage on schema ${role} to ${role}`);
    const { migrations } = await migrated();
    expect((await migrations.grantTo(serving)).refused).to.deep.equal([]);
    await query(ownerUrl, `create table ${role}.schema_migration (id int, name text)`);
    expect((await migrations.grantTo(serving)).refused).to.have.lengthOf(1);
    await query(url(), `alter role ${role} set search_path = "$user", public`);
    expect((await migrations.grantTo(serving)).refused).to.have.lengthOf(1);
    await query(url(), `alter role ${role} set search_path = other, public`);
    expect((await migrations.grantTo(serving)).refused).to.deep.equal([]);
    await query(url(), `alter role ${role} reset search_path`);
  });

  it('may be set for the database, or in the URL', async () => {
    const { database } = named;
    await query(url(), `create schema chapter authorization ${named.owner}`);
    await query(url(), `alter database ${database} set search_path = chapter`);
    const { migrations } = await migrated();
    expect((await migrations.grantTo(serving)).refused).to.deep.equal([]);
    expect(await servedState()).to.equal('current');
    await query(url(), `alter database ${database} reset search_path`);
    serving += '?options=-c%20search_path%3Dchapter';
    const inUrl = connect(`${ownerUrl}?options=-c%20search_path%3Dchapter`);
    expect((await inUrl.migrations.grantTo(serving)).refused).to.deep.equal([]);
    expect(await servedState()).to.equal('current');
    expect((await inUrl.migrations.grantTo(serving.replace(/\?.*/, ''))).refused).to.have.lengthOf(1);
  });
});
