import { aDivision, aUser, moveUser, storeDivision, storeUser, untilSettled } from '@chapter/domain/testing';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { createTestDatabase } from '../../../../test-support/database.ts';
import { createSchema } from '../../../../test-support/lists/tables.ts';
import { query } from '../../../../test-support/query.ts';
import type { Database } from '../../src/index.ts';
import { entities } from '../../src/schema/entities/index.ts';
import { useOwnDatabase } from '../support/use-own-database.ts';

/**
 * Returns a text for each column, constraint, index, statistics target, table option and enum value of the schema. Before version
 * 17, PostgreSQL gives system columns and dropped columns the statistics target 0.
 */
const describeSchema = (url: string) =>
  query(
    url,
    `select format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' end, ' collate ' || nullif(l.collname, 'default'),
        ' default ' || pg_get_expr(d.adbin, d.adrelid)) as part
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation l on l.oid = a.attcollation left join pg_attrdef d on (d.adrelid, d.adnum) = (c.oid, a.attnum)
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migration'
    union all select format('%s: %s', conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace and conname !~ '^schema_migration' and contype <> 'n'
    union all select indexdef from pg_indexes where schemaname = 'public' and tablename <> 'schema_migration'
    union all select format('%s.%s statistics %s', c.relname, attnum, attstattarget) from pg_attribute
      join pg_class c on c.oid = attrelid where c.relnamespace = 'public'::regnamespace and attstattarget >= 0
        and attnum > 0 and not attisdropped
    union all select format('%s with %s', relname, reloptions) from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and reloptions is not null
    union all select format('%s %s', t.typname, e.enumlabel) from pg_enum e join pg_type t on t.oid = e.enumtypid
    order by part`,
  );

describe('Migrations', () => {
  const { connect, url } = useOwnDatabase();
  let database: Database;
  beforeEach(() => {
    database = connect();
  });

  it('bring an empty database to the current schema, once', async () => {
    const { migrations } = database;
    expect(await migrations.status()).to.deep.equal({ state: 'older', applied: [], pending: migrations.names });
    expect(await migrations.up()).to.deep.equal(migrations.names);
    expect(await migrations.status()).to.deep.equal({ state: 'current', applied: migrations.names, pending: [] });
    expect(await migrations.up()).to.deep.equal([]);
  });

  it('make exactly the tables of the entities', async () => {
    await database.migrations.up();
    const other = await createTestDatabase();
    const orm = new MikroORM({ clientUrl: other.url, entities });
    const tables = await orm.schema.getCreateSchemaSQL();
    await query(other.url, `create extension pg_trgm; create extension btree_gin; ${tables}`);
    await orm.close(true);
    // Entities cannot declare these options.
    const options =
      'alter table user_account set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)';
    await query(other.url, options);
    expect(await describeSchema(url())).to.deep.equal(await describeSchema(other.url));
    await other.drop();
  });

  it('reject an unknown name', async () => {
    const outcome = await database.migrations.to('0000-nothing').catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(RangeError);
    expect((await database.migrations.status()).applied).to.deep.equal([]);
  });
});

describe('Migrations of a database with the current schema', () => {
  const { connect, url } = useOwnDatabase(createSchema);
  let database: Database;
  beforeEach(() => {
    database = connect();
  });

  it('take the last activity of users from their sessions', async () => {
    const { migrations } = database;
    const [one, two, none] = [
      await storeUser(database, aUser()),
      await storeUser(database, aUser()),
      await storeUser(database, aUser()),
    ];
    await migrations.to('0005-indexes-of-sessions-and-changes');
    const sessions = [
      [one.id, '2026-01-01T10:00:00Z', 'null'],
      [one.id, '2026-01-02T23:30:00-02:00', 'null'],
      [two.id, '2026-01-01T10:00:00Z', `'2026-02-03T10:00:00Z'`],
    ];
    for (const [id, started, refreshed] of sessions) {
      await query(
        url(),
        `insert into session (id, user_id, started_at, refreshed_at, expires_at)
          values (gen_random_uuid(), '${id}', '${started}', ${refreshed}, now())`,
      );
    }
    await migrations.up();
    const days = await Promise.all([one, two, none].map(({ id }) => database.directory.find(id)));
    expect(days.map((found) => found?.lastActiveOn)).to.deep.equal(['2026-01-03', '2026-02-03', null]);
  });

  it('give earlier entries a place in the history of their divisions, without rewriting the table', async () => {
    const { migrations } = database;
    const user = await storeUser(database, aUser());
    const { id: elsewhere } = await storeDivision(database, aDivision());
    await moveUser(database, user.id, elsewhere);
    await migrations.to('0004-sessions-and-counters');
    const fileOf = () => query(url(), `select pg_relation_filenode('audit_entry') as file`);
    const before = await fileOf();
    await migrations.up();
    expect(await fileOf()).to.deep.equal(before);
    const historyOf = async (id: string) => {
      await untilSettled(database, id);
      return (await database.changes.list(id, { side: 'after', position: '', size: 9 }))?.entries.map(
        ({ action }) => action,
      );
    };
    expect(await historyOf(user.division.id)).to.deep.equal(['createDivision', 'createUser', 'moveUser']);
    expect(await historyOf(elsewhere)).to.deep.equal(['createDivision', 'moveUser']);
  });

  it('keep the newest hundred consumed tokens of each session, and delete others in batches', async () => {
    const { migrations } = database;
    const user = await storeUser(database, aUser());
    await migrations.to('0003-pages-in-an-index');
    await query(
      url(),
      `insert into session (id, user_id, started_at, expires_at)
          select gen_random_uuid(), '${user.id}', now() - n * interval '1 second', now() + interval '14 days'
            from generate_series(1, 3) n;
        insert into refresh_token (digest, session_id, expires_at, spent_at)
          select id::text || n, id, expires_at, case when n > 0 then now() - n * interval '1 minute' end
            from session, generate_series(0, case date_trunc('second', now() - started_at)
              when interval '1 second' then 25000 when interval '2 seconds' then 150 else 100 end) n;
        create table deletion (transaction bigint);
        create function note() returns trigger language plpgsql as
          $$ begin insert into deletion values (txid_current()); return null; end $$;
        create trigger note after delete on refresh_token execute function note()`,
    );
    await migrations.up();
    const rows = await query(
      url(),
      `select count(*)::int as tokens, count(spent_at)::int as consumed, now() - min(spent_at) < interval '3 hours' as "areNew"
        from refresh_token group by session_id`,
    );
    const reduced = { tokens: 101, consumed: 100, areNew: true };
    expect(rows).to.deep.equal([reduced, reduced, reduced]);
    // Three batches of the first session, and one of the second.
    const batches = 'select count(distinct transaction)::int as batches from deletion';
    expect(await query(url(), batches)).to.deep.equal([{ batches: 4 }]);
  });

  it('restore the earlier schema when they are reverted, each one', async () => {
    const { migrations } = database;
    const schemas: Record<string, unknown> = {};
    for (const name of migrations.names.toReversed()) {
      await migrations.to(name);
      schemas[name] = await describeSchema(url());
    }
    expect(await migrations.to(null)).to.deep.equal(migrations.names.slice(0, 1));
    expect(await describeSchema(url())).to.deep.equal([]);
    expect((await migrations.status()).state).to.equal('older');
    for (const name of atLeast(4, migrations.names)) {
      await migrations.to(name);
      expect(await describeSchema(url()), name).to.deep.equal(schemas[name]);
    }
  });

  it('report a database that is newer than the program', async () => {
    await query(url(), `insert into schema_migration (name) values ('9999-of-tomorrow')`);
    expect((await database.migrations.status()).state).to.equal('newer');
  });

  it('are separate transactions: a failed one leaves the earlier ones applied and their locks released', async () => {
    const { migrations } = database;
    const failing = migrations.names.indexOf('0003-pages-in-an-index');
    await migrations.to(migrations.names[0] ?? '');
    await query(url(), 'create index user_account_listed on division (id)');
    const outcome: unknown = await migrations.up().catch((error: unknown) => error);
    expect(String(outcome)).to.equal('Error: the database refused a statement (SQLSTATE 42P07)');
    expect((await migrations.status()).pending).to.deep.equal(migrations.names.slice(failing));
    await query(url(), 'drop index user_account_listed');
    expect(await migrations.up()).to.deep.equal(migrations.names.slice(failing));
  });
});
