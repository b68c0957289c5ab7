import type { Author, Instant } from '@chapter/domain';
import { type Client, DatabaseError } from 'pg';
import type { BulkCounts, IndexProgress } from './bulk-load.ts';
import { type LoadedTable, withoutSecondaryIndexes } from './secondary-indexes.ts';
import { STAGED_DIVISION_COLUMNS, STAGED_USER_COLUMNS } from './staging.ts';

/** Bounds of the lines that one statement stores: below the first, the statements themselves would take most of the time. */
const LINES = { min: 200, max: 20_000 };

/** Steps that a store takes at least, so that the progress that an operator sees moves by at most 2 %. */
const MIN_STEPS = 50;

/** SQLSTATEs of conflicts with a concurrent change: unique and foreign key violations (PostgreSQL, appendix A). */
const TAKEN_MEANWHILE = new Set(['23505', '23503']);

const audit = (action: string, type: string, division: string, staged: string): string =>
  `insert into audit_entry
      (id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes)
    select audit_id, $3, '${action}', $4, $5, $6, '${type}', id, ${division}, changes
      from ${staged} where line >= $1 and line < $2 order by line`;

const DIVISIONS = {
  staged: 'bulk_division',
  insert: `insert into division (${STAGED_DIVISION_COLUMNS.join(', ')}, version, name_version)
    select ${STAGED_DIVISION_COLUMNS.join(', ')}, 1, 1 from bulk_division where line >= $1 and line < $2 order by line`,
  audit: audit('createDivision', 'division', 'id', 'bulk_division'),
};

const valuesWithHash = STAGED_USER_COLUMNS.map((column) =>
  column === 'password_hash' ? 'coalesce(s.password_hash, p.password_hash)' : `s.${column}`,
);

const USERS = {
  staged: 'bulk_user',
  insert: `insert into user_account (${STAGED_USER_COLUMNS.join(', ')}, version)
    select ${valuesWithHash.join(', ')}, 1 from bulk_user s left join bulk_password p using (line)
      where s.line >= $1 and s.line < $2 order by s.line`,
  audit: audit('createUser', 'user', 'division_id', 'bulk_user'),
};

const storeInBatches = async (
  client: Client,
  { staged, insert, audit: entries }: typeof USERS,
  authorship: readonly unknown[],
  progress: (rows: number) => void,
): Promise<number> => {
  await client.query(`create index if not exists ${staged}_line on ${staged} (line)`);
  await client.query(`analyze ${staged}`);
  const { rows } = await client.query<{ last: number }>(`select coalesce(max(line), 0) as last from ${staged}`);
  const last = rows[0]?.last ?? 0;
  const lines = Math.min(LINES.max, Math.max(LINES.min, Math.floor(last / MIN_STEPS)));
  let stored = 0;
  for (let from = 0; from <= last; from += lines) {
    const batch = [from, from + lines];
    stored += (await client.query(insert, batch)).rowCount ?? 0;
    await client.query(entries, [...batch, ...authorship]);
    progress(stored);
  }
  return stored;
};

const NO_PROGRESS: IndexProgress = { building: () => {}, kept: () => {} };

const countLoaded = async (client: Client): Promise<readonly LoadedTable[]> => {
  const { rows } = await client.query<{ divisions: number; users: number }>(
    `select (select count(*)::int from bulk_division) as divisions, (select count(*)::int from bulk_user) as users`,
  );
  const { divisions, users } = rows[0] ?? { divisions: 0, users: 0 };
  // The order in which the service's own transactions lock these tables: another order could deadlock.
  return [
    { table: 'division', rows: divisions },
    { table: 'user_account', rows: users },
    { table: 'audit_entry', rows: divisions + users },
  ];
};

/**
 * Stores the staged rows. Rolls back and returns null if a name was taken meanwhile. `progress` gets the number of rows
 * stored so far.
 *
 * @throws the database's own errors.
 */
export const storeStaged = async (
  client: Client,
  { name, requestId, userId }: Author,
  now: Instant,
  progress: (rows: number) => void,
  indexes: IndexProgress = NO_PROGRESS,
): Promise<BulkCounts | null> => {
  const authorship = [now, userId, name, requestId];
  await client.query('create index if not exists bulk_password_line on bulk_password (line)');
  await client.query('analyze bulk_password');
  await client.query('savepoint before_store');
  try {
    const loaded = await countLoaded(client);
    const counts = await withoutSecondaryIndexes(client, loaded, indexes, async () => {
      const divisions = await storeInBatches(client, DIVISIONS, authorship, progress);
      const users = await storeInBatches(client, USERS, authorship, (rows) => progress(divisions + rows));
      return { divisions, users };
    });
    // The statistics are those of the smaller table, and plans of lists depend on them. A role that does not own the
    // tables only gets a warning here; autovacuum analyzes them later.
    await client.query('analyze division, user_account');
    return counts;
  } catch (error) {
    if (!(error instanceof DatabaseError && TAKEN_MEANWHILE.has(error.code ?? ''))) throw error;
    await client.query('rollback to savepoint before_store');
    return null;
  }
};
