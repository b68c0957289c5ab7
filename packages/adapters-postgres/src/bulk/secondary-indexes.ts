import type { Client } from 'pg';
import { isLockConflict } from '../connection/errors.ts';
import type { IndexProgress } from './bulk-load.ts';

/** A table, and the number of rows that a load adds to it. */
export interface LoadedTable {
  readonly table: string;
  readonly rows: number;
}

/** For a load with fewer rows, dropping the indexes saves too little time to lock the table for. */
const MIN_ROWS = 1000;

/**
 * How long to wait for transactions that use a table. Later statements on it queue up meanwhile, so the wait is shorter than the
 * time that requests wait for a lock. A load locks up to three tables, one after the other, and keeps those that it has.
 */
const LOCK_TIMEOUT = '2s';

/** The memory for building indexes, in kB, unless the server allows more. Parallel workers share it. */
const MAINTENANCE_MEMORY_KB = 262_144;

const isLargerThanTable = async (client: Client, { table, rows }: LoadedTable): Promise<boolean> => {
  if (rows < MIN_ROWS) return false;
  const counted = await client.query<{ larger: boolean }>(
    `select count(*) < $1 as larger from (select from ${table} limit $1) as stored`,
    [rows],
  );
  return counted.rows[0]?.larger === true;
};

/** Whether the role may drop and create indexes of the tables. */
const mayRebuild = async (client: Client, tables: readonly string[]): Promise<boolean> => {
  const { rows } = await client.query<{ allowed: boolean }>(
    `select bool_and(pg_has_role(relowner, 'usage') and has_schema_privilege(relnamespace, 'create')) as allowed
       from pg_class where oid = any ($1::text[]::regclass[])`,
    [tables],
  );
  return rows[0]?.allowed === true;
};

/** Locks the tables against readers and writers until the transaction ends. Returns false if the wait takes too long. */
const lockTables = async (client: Client, tables: readonly string[]): Promise<boolean> => {
  const { rows } = await client.query<{ timeout: string }>(`select current_setting('lock_timeout') as timeout`);
  await client.query('savepoint before_lock');
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(`lock table ${tables.join(', ')} in access exclusive mode`);
    await client.query(`select set_config('lock_timeout', $1, true)`, [rows[0]?.timeout]);
    return true;
  } catch (error) {
    if (!isLockConflict(error)) throw error;
    await client.query('rollback to savepoint before_lock');
    return false;
  }
};

interface SecondaryIndex {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * Selects the indexes that no constraint, CLUSTER or replica identity relies on, each with the statements that recreate
 * it. pg_get_indexdef omits statistics targets and comments, so they are added. Indexes in a separate tablespace stay,
 * because the role may lack the right to create an index there.
 */
const SECONDARY_INDEXES = `
  select i.indexrelid::regclass::text as name, array_remove(array[
      pg_get_indexdef(i.indexrelid),
      format('comment on index %s is %L', i.indexrelid::regclass, obj_description(i.indexrelid, 'pg_class'))
    ] || array(
      select format('alter index %s alter column %s set statistics %s', i.indexrelid::regclass, attnum, attstattarget)
        from pg_attribute where attrelid = i.indexrelid and attstattarget >= 0
    ), null) as statements
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = any ($1::text[]::regclass[])
    and not (i.indisunique or i.indisexclusion or i.indisclustered) and i.indisvalid and c.reltablespace = 0
  order by i.indexrelid`;

const dropIndexes = async (client: Client, tables: readonly string[]): Promise<readonly SecondaryIndex[]> => {
  const { rows } = await client.query<SecondaryIndex>(SECONDARY_INDEXES, [tables]);
  if (rows.length > 0) await client.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows;
};

const buildIndexes = async (client: Client, indexes: readonly SecondaryIndex[], { building }: IndexProgress) => {
  await client.query(
    `select set_config(name, greatest(setting::int, ${MAINTENANCE_MEMORY_KB})::text, true) from pg_settings
      where name = 'maintenance_work_mem'`,
  );
  for (const [built, { statements }] of indexes.entries()) {
    building(built, indexes.length);
    for (const statement of statements) await client.query(statement);
  }
  building(indexes.length, indexes.length);
};

/**
 * Runs `load` without the secondary indexes of the tables that it more than doubles, and rebuilds them afterwards: much
 * faster than maintaining them row by row. The tables are locked until the transaction ends. If the role lacks the
 * rights, or other transactions hold the tables, the indexes stay. A rollback of the caller restores them.
 */
export const withoutSecondaryIndexes = async <T>(
  client: Client,
  loaded: readonly LoadedTable[],
  progress: IndexProgress,
  load: () => Promise<T>,
): Promise<T> => {
  const tables: string[] = [];
  for (const one of loaded) if (await isLargerThanTable(client, one)) tables.push(one.table);
  if (tables.length === 0) return load();
  const obstacle = !(await mayRebuild(client, tables))
    ? 'not owner'
    : !(await lockTables(client, tables))
      ? 'locked'
      : null;
  if (obstacle !== null) {
    progress.kept(obstacle);
    return load();
  }
  const indexes = await dropIndexes(client, tables);
  const result = await load();
  await buildIndexes(client, indexes, progress);
  return result;
};
