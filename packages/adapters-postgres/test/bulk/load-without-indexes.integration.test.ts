import { OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import type { Database, IndexProgress } from '../../src/index.ts';
import { divisionRows } from '../support/bulk-rows.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const ROWS = 1000;

/** The indexes that a load of divisions drops: one of divisions, five of audit entries. */
const SECONDARY_INDEXES = 6;

const divisionId = (at: number): string => `0190a000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;

const divisions = (count: number, from = 0) =>
  divisionRows(...Array.from({ length: count }, (_, at) => [divisionId(from + at), `Division ${from + at}`] as const));

interface StoredIndex {
  readonly name: string;
  readonly oid: number;
  readonly isUnique: boolean;
  readonly definition: string;
  readonly statistics: string;
  readonly comment: string | null;
}

describe('A load that is larger than the table', () => {
  const world = useWorld();
  let owner: Database;
  before(() => world().sql.query(`comment on index division_search is 'words in ''names'''`));
  beforeEach(() => {
    owner = world().connect({ url: world().ownerUrl });
  });

  const indexesOf = async (...tables: readonly string[]): Promise<readonly StoredIndex[]> =>
    (
      await world().sql.query<StoredIndex>(
        `select indexname as name, indexrelid::int as oid, indisunique as "isUnique", indexdef as definition,
           (select string_agg(concat(attnum, ' ', attstattarget), ',' order by attnum) from pg_attribute
             where attrelid = indexrelid) as statistics, obj_description(indexrelid, 'pg_class') as comment
         from pg_indexes join pg_index on indexrelid = indexname::regclass
         where tablename = any ($1) order by indexname`,
        [tables],
      )
    ).rows;
  const withoutOids = (indexes: readonly StoredIndex[]) => indexes.map((index) => ({ ...index, oid: 0 }));
  const storedNames = async (): Promise<number> =>
    (await world().sql.query('select from division where name_key is not null')).rowCount ?? 0;

  const reported: unknown[] = [];
  const progress: IndexProgress = {
    building: (built, total) => reported.push([built, total]),
    kept: (reason) => reported.push(reason),
  };
  beforeEach(() => reported.splice(0));

  const load = (database: Database, count: number, from = 0) =>
    database.loadInBulk(OPERATOR, async (opened) => {
      await opened.stageDivisions(divisions(count, from));
      return (await opened.plan()).store(() => {}, progress);
    });

  it('drops the secondary indexes of its tables and rebuilds the same ones', async () => {
    const before = await indexesOf('division', 'audit_entry');
    const users = await indexesOf('user_account');
    expect(await load(owner, ROWS)).to.deep.equal({ divisions: ROWS, users: 0 });
    const after = await indexesOf('division', 'audit_entry');
    expect(withoutOids(after)).to.deep.equal(withoutOids(before));
    const oids = new Set(before.map(({ oid }) => oid));
    const isRebuilt = after.map(({ name, oid }) => [name, !oids.has(oid)]);
    expect(isRebuilt).to.deep.equal(after.map(({ isUnique, name }) => [name, !isUnique]));
    expect(await indexesOf('user_account')).to.deep.equal(users);
    const total = after.filter(({ isUnique }) => !isUnique).length;
    expect(reported).to.deep.equal(Array.from({ length: total + 1 }, (_, built) => [built, total]));
    const { rows } = await world().sql.query(
      `select name from division where name_key like '%vision 77%' order by name`,
    );
    expect(rows).to.have.length(11);
  });

  it('keeps indexes that their definition alone would not restore', async () => {
    const { sql } = world();
    const tablespace = `${new URL(sql.options.connectionString ?? '').pathname.slice(1)}_space`;
    await sql.query('alter table audit_entry cluster on audit_entry_at');
    await sql.query('alter table audit_entry add constraint one_id exclude using btree (id with =)');
    const client = await sql.connect();
    await client.query('set allow_in_place_tablespaces = on');
    await client.query(`create tablespace ${tablespace} location ''`);
    client.release();
    await sql.query(`create index in_tablespace on audit_entry (id) tablespace ${tablespace}`);
    try {
      const before = await indexesOf('audit_entry');
      await load(owner, ROWS);
      const oids = new Set((await indexesOf('audit_entry')).map(({ oid }) => oid));
      const kept = before.filter(({ oid }) => oids.has(oid)).map(({ name }) => name);
      expect(kept).to.deep.equal(['audit_entry_at', 'audit_entry_pkey', 'in_tablespace', 'one_id']);
    } finally {
      await sql.query('drop index in_tablespace; alter table audit_entry drop constraint one_id');
      await sql.query(`drop tablespace ${tablespace}`);
      await sql.query('alter table audit_entry set without cluster');
    }
  });

  it('restores the lock timeout after locking the tables', async () => {
    const { sql } = world();
    await sql.query(`create function refuse_lock_timeout() returns trigger language plpgsql as $$ begin
        if current_setting('lock_timeout') <> '0' then raise 'a lock timeout is set'; end if;
        return new;
      end $$;
      create trigger lock_timeout before insert on division for each row execute function refuse_lock_timeout()`);
    expect(await load(owner, ROWS)).to.deep.equal({ divisions: ROWS, users: 0 });
    await sql.query('drop function refuse_lock_timeout cascade');
  });

  it('builds indexes with at least 256 MB of memory', async () => {
    const { sql } = world();
    // PostgreSQL calls the function only when it rebuilds the index, because the table is empty before.
    await sql.query(`create function demand_memory(text) returns text immutable language plpgsql as $$ begin
        if pg_size_bytes(current_setting('maintenance_work_mem')) < 268435456 then raise 'too little memory'; end if;
        return $1;
      end $$;
      create index division_memory on division (demand_memory(name))`);
    expect(await load(owner, ROWS)).to.deep.equal({ divisions: ROWS, users: 0 });
    await sql.query('drop function demand_memory cascade');
  });

  it('restores the indexes when it fails after rebuilding them', async () => {
    const before = await indexesOf('division', 'audit_entry', 'user_account');
    const failure = new Error('test');
    const failed = owner.loadInBulk(OPERATOR, async (opened) => {
      await opened.stageDivisions(divisions(ROWS));
      await (await opened.plan()).store(() => {}, progress);
      throw failure;
    });
    expect(await failed.catch((error: unknown) => error)).to.equal(failure);
    expect(reported.at(-1)).to.deep.equal([SECONDARY_INDEXES, SECONDARY_INDEXES]);
    expect(await indexesOf('division', 'audit_entry', 'user_account')).to.deep.equal(before);
    expect(await storedNames()).to.equal(0);
  });

  it('stores nothing and restores the indexes when a name has been taken since the findings, and reports the line', async () => {
    const before = await indexesOf('division', 'audit_entry');
    const found = await owner.loadInBulk(OPERATOR, async (opened) => {
      await opened.stageDivisions(divisions(ROWS));
      expect(await opened.findings('divisions', 10)).to.deep.equal({ conflicts: [], badLines: 0 });
      const taken = { id: divisionId(ROWS), name: 'DIVISION 7', logo: null, fanpage: null };
      await world().divisions.create(OPERATOR, taken);
      expect(await (await opened.plan()).store(() => {}, progress)).to.equal(null);
      return opened.findings('divisions', 10);
    });
    expect(found).to.deep.equal({
      conflicts: [{ line: 9, field: 'name', reason: 'taken', firstLine: null, divisionKey: null }],
      badLines: 1,
    });
    expect(await storedNames()).to.equal(1);
    expect(await indexesOf('division', 'audit_entry')).to.deep.equal(before);
  });

  it('releases its locks soon after it is interrupted while building an index', async () => {
    const { sql } = world();
    await sql.query(`create function never(text) returns text immutable language plpgsql as
      'begin perform pg_sleep(3600); return null; end';
      create index division_slow on division (never(name))`);
    const before = await indexesOf('division', 'audit_entry');
    const loading = load(owner, ROWS).catch((error: unknown) => error);
    const builds = `select from pg_stat_activity where datname = current_database() and query like 'CREATE INDEX division_slow%'`;
    await until(async () => (await sql.query(builds)).rowCount !== 0);
    await owner.close();
    expect(await loading).to.include({ code: 'unavailable' });
    expect(await indexesOf('division', 'audit_entry')).to.deep.equal(before);
    expect(await storedNames()).to.equal(0);
    await sql.query('drop function never cascade');
  });

  it('keeps the indexes and reports the reason when its role does not own the tables', async () => {
    const before = await indexesOf('division', 'audit_entry');
    expect(await load(world().database, ROWS)).to.deep.equal({ divisions: ROWS, users: 0 });
    expect(reported).to.deep.equal(['not owner']);
    expect(await indexesOf('division', 'audit_entry')).to.deep.equal(before);
  });

  it('keeps the indexes and reports the reason when a transaction uses the table for seconds', async () => {
    const before = await indexesOf('division', 'audit_entry');
    const reader = await world().sql.connect();
    await reader.query('begin; select from division');
    expect(await load(owner, ROWS)).to.deep.equal({ divisions: ROWS, users: 0 });
    await reader.query('commit');
    reader.release();
    expect(reported).to.deep.equal(['locked']);
    expect(await indexesOf('division', 'audit_entry')).to.deep.equal(before);
  });

  it('keeps the indexes when it is small, or not larger than the table', async () => {
    const before = await indexesOf('division', 'audit_entry');
    await load(owner, ROWS - 1);
    expect(await indexesOf('division', 'audit_entry')).to.deep.equal(before);
    await load(owner, ROWS, ROWS);
    const rebuilt = await indexesOf('division', 'audit_entry');
    await load(owner, ROWS, 2 * ROWS);
    expect(await indexesOf('division', 'audit_entry')).to.deep.equal(rebuilt);
    // Only the second load builds them; it reports each one and the end.
    expect(reported).to.have.length(SECONDARY_INDEXES + 1);
  });
});
