import { OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import { asRole } from '../../../../test-support/database.ts';
import { createSchema } from '../../../../test-support/lists/tables.ts';
import { query } from '../../../../test-support/query.ts';
import { SERVING_FUNCTIONS, SERVING_RIGHTS, SERVING_TYPES } from '../../src/schema/rights.ts';
import { outcomeOf, REFUSED } from '../support/outcome-of.ts';
import { useOwnDatabase } from '../support/use-own-database.ts';
import { useWorld } from '../support/use-world.ts';

describe('The serving role', () => {
  const world = useWorld();

  for (const text of [
    'create table other (n int)',
    'create schema other',
    'create function other() returns int language sql return 1',
    'alter table user_account add column other int',
    'alter table audit_entry owner to current_user',
    'create index other on user_account (id)',
    'drop table login_limit',
    'drop index session_user_id',
    'truncate audit_entry',
    'truncate user_account cascade',
    'delete from audit_entry',
    `update audit_entry set author_name = 'other'`,
    'truncate division cascade',
    `insert into schema_migration (name) values ('other')`,
    'delete from schema_migration',
    'create trigger other before delete on session for each row execute function suppress_redundant_updates_trigger()',
  ]) {
    it(`may not: ${text}`, async () => {
      expect(await outcomeOf(world().url, text)).to.equal(REFUSED);
    });
  }

  it('has rights on every table, function and type of the schema, and on nothing else', async () => {
    const { rows } = await world().sql.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       union all select typname from pg_type where typtype = 'e' and typnamespace = 'public'::regnamespace
       union all select proname from pg_proc p where pronamespace = 'public'::regnamespace
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    );
    expect(rows.map(({ name }) => name)).to.have.members([
      ...Object.keys(SERVING_RIGHTS),
      ...SERVING_TYPES,
      ...SERVING_FUNCTIONS,
    ]);
  });
});

describe('Granting the rights to serve', () => {
  const { connect, url } = useOwnDatabase(createSchema);
  let serving: string;
  let role: string;

  beforeEach(async () => {
    serving = await asRole(url(), 'granted');
    role = new URL(serving).username;
  });

  it('returns the statements that were run, and runs none when nothing is missing', async () => {
    const { migrations } = connect();
    const { granted, ...rest } = await migrations.grantTo(serving);
    expect(rest).to.deep.equal({ role, refused: [] });
    expect(granted).to.include(`grant select, insert on table audit_entry to "${role}"`);
    expect(await migrations.grantTo(serving)).to.deep.equal({ role, granted: [], refused: [] });
  });

  it('revokes excess rights of the role', async () => {
    const { migrations } = connect();
    await query(url(), `grant all on all tables in schema public to "${role}"`);
    await query(url(), 'grant delete on audit_entry to public; grant create on schema public to public');
    const { granted, refused } = await migrations.grantTo(serving);
    expect(refused).to.deep.equal([]);
    const statement = `revoke update, delete, truncate, references, trigger on table audit_entry from public, "${role}"`;
    expect(granted).to.include(statement);
    expect(await outcomeOf(serving, 'delete from audit_entry')).to.equal(REFUSED);
    expect(await outcomeOf(serving, 'create table other (n int)')).to.equal(REFUSED);
  });

  it('grants only rights on objects that the schema has', async () => {
    const { migrations } = connect();
    await migrations.to(null);
    expect(await migrations.grantTo(serving)).to.deep.include({ refused: [] });
    await migrations.up();
    await migrations.grantTo(serving);
    expect(await outcomeOf(serving, 'select from audit_entry')).to.equal('done');
  });

  it('does nothing for the owner itself', async () => {
    const { migrations } = connect();
    const { granted, refused } = await migrations.grantTo(url());
    expect([granted, refused]).to.deep.equal([[], []]);
  });

  it('asks an administrator to create a missing role', async () => {
    const { migrations } = connect();
    const { refused } = await migrations.grantTo(Object.assign(new URL(url()), { username: 'No "role"' }).href);
    expect(refused).to.deep.equal(['create role "No ""role""" login']);
  });

  it('asks an administrator to run the statements that the owner may not run', async () => {
    const { migrations } = connect();
    const database = new URL(url()).pathname.slice(1);
    await query(url(), `revoke all on database ${database} from public`);
    const owner = await asRole(url(), 'owner');
    const ownerRole = new URL(owner).username;
    await query(url(), `grant connect on database ${database} to ${ownerRole}`);
    await migrations.grantTo(serving);
    await query(url(), `revoke all on database ${database} from "${role}"`);
    await query(url(), `grant select on schema_migration to ${ownerRole}`);
    const { granted, refused } = await connect(owner).migrations.grantTo(serving);
    expect(granted).to.deep.equal([]);
    expect(refused).to.deep.equal([`grant connect, temporary on database "${database}" to "${role}"`]);
  });
});

describe('The rights to migrate an empty database', () => {
  const { connect, url } = useOwnDatabase();

  it('are given to an owner by the statements that are returned', async () => {
    const [owner, serving] = [await asRole(url(), 'owner'), await asRole(url(), 'granted')];
    const { migrations } = connect(owner);
    const statements = [
      'create extension pg_trgm',
      'create extension btree_gin',
      `grant usage, create on schema "public" to "${new URL(owner).username}"`,
    ];
    expect(await migrations.missingRights()).to.deep.equal(statements);
    for (const statement of statements) await query(url(), statement);
    expect(await migrations.missingRights()).to.deep.equal([]);
    expect(await migrations.up()).to.deep.equal(migrations.names);
    expect((await migrations.grantTo(serving)).refused).to.deep.equal([]);
    expect(
      await connect(serving).divisions.create(OPERATOR, {
        id: '00000000-0000-4000-8000-000000000001',
        name: 'North',
        logo: null,
        fanpage: null,
      }),
    ).to.include({ name: 'North' });
  });
});
