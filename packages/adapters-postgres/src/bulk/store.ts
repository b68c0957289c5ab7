import type { Author, DivisionReference, IdGenerator, Instant } from '@chapter/domain/ports';
import { type Client, DatabaseError } from 'pg';
import { AUDIT_COLUMNS, auditRow } from '../audit/audit-writer.ts';
import { isWorthRetrying } from '../connection/errors.ts';
import { WRITING } from '../connection/transaction.ts';
import type { BulkCounts, BulkPlan, IndexProgress, PlannedRows } from './bulk-load.ts';
import { type Change, decideChanges, type GivenColumns, type LineRange, lineRanges } from './match.ts';
import { type LoadedTable, withoutSecondaryIndexes } from './secondary-indexes.ts';
import { type Staged, SUBJECTS } from './staging.ts';

/** SQLSTATEs of conflicts with a concurrent change: unique and foreign key violations (PostgreSQL, appendix A). */
const TAKEN_MEANWHILE = new Set(['23505', '23503']);

class ChangedMeanwhile extends Error {}

interface PlannedLoad {
  readonly plan: Omit<BulkPlan, 'store'>;
  /** The columns of the files whose rows are matched. */
  readonly given: Readonly<Partial<Record<Staged, GivenColumns>>>;
  readonly author: Author;
  readonly ids: IdGenerator;
  readonly now: Instant;
}

/** What the load does with users: those of the file, and those that no line matches. */
const PLANNED_USERS = `(select target, version, action, division_id, leads, left_division from bulk_user union all
  select target, version, action, division_id, leads, left_division from bulk_missing)`;

// Both statements lock rows in the order of their ids, like all transactions, and skip rows with a newer version. Users
// are locked before divisions, like in the service.
const LOCK_USERS = `select count(*)::int as changed from (
  select from user_account t join ${PLANNED_USERS} s on s.target = t.id
   where s.action = 'change' and s.version = t.version order by t.id for no key update of t) locked`;

// A division that loses a Leader is locked like in every other change that removes one, so that two changes cannot
// remove the last two.
const LOCK_DIVISIONS = `select count(*) filter (where is_changed)::int as changed from (
  select s.target is not null as is_changed
    from division t left join bulk_division s on s.target = t.id and s.action = 'change' and s.version = t.version
   where s.target is not null or t.id in (select left_division from ${PLANNED_USERS} u)
   order by t.id for no key update of t) locked`;

// Unchanged rows are not locked and may have changed since they were staged, so the stored ones are read.
const FIND_LEADERLESS = `
  with planned as (select * from ${PLANNED_USERS} u where action in ('create', 'change')),
  affected as (select distinct left_division as id from planned where left_division is not null),
  members as (
    select division_id, leads from planned where division_id in (select id from affected) union all
    select t.division_id, t.is_active and t.groups @> '{Leader}' from user_account t
     where t.division_id in (select id from affected) and not exists (select from planned p where p.target = t.id))
  select d.id, d.name from division d join members m on m.division_id = d.id
   group by d.id having not bool_or(m.leads) order by d.name_key`;

/**
 * Finds the divisions that lose their last active Leader by changes of matched users, although they keep members.
 * Leaves out divisions that have no active Leader before the load.
 */
export const findLeaderless = async (client: Client): Promise<readonly DivisionReference[]> => {
  const { rowCount } = await client.query(`select from ${PLANNED_USERS} u where left_division is not null limit 1`);
  if (rowCount === 0) return [];
  await client.query('analyze bulk_user, bulk_missing');
  return (await client.query<DivisionReference>(FIND_LEADERLESS)).rows;
};

/** Locks what the plan changes. @throws ChangedMeanwhile if the plan would now be different. */
const lockPlanned = async (client: Client, { plan }: Pick<PlannedLoad, 'plan'>): Promise<void> => {
  const { divisions, leaderless, missing, users } = plan;
  for (const [statement, changed] of [
    [LOCK_USERS, users.changed + (missing?.changed ?? 0)],
    [LOCK_DIVISIONS, divisions.changed],
  ] as const) {
    const { rows } = await client.query<{ changed: number }>(statement);
    if (rows[0]?.changed !== changed) throw new ChangedMeanwhile();
  }
  if ((await findLeaderless(client)).length !== leaderless.length) throw new ChangedMeanwhile();
};

/** Stores the new rows of some lines with their audit entries, as they are staged. Returns their number. */
const storeCreations = async (client: Client, file: Staged, { author, now }: PlannedLoad, range: LineRange) => {
  const { columns, staged, table } = SUBJECTS[file];
  const isUser = file === 'users';
  // A password of the file is hashed after its row is staged.
  const values = columns.map((column) =>
    column === 'password_hash' ? 'coalesce(p.password_hash, s.password_hash)' : `s.${column}`,
  );
  const created = `from ${staged} s ${isUser ? 'left join bulk_password p using (line)' : ''}
    where s.line >= $1 and s.line < $2 and s.action = 'create' order by s.line`;
  const { rowCount } = await client.query(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} ${created}`,
    [...range],
  );
  await client.query(
    `insert into audit_entry (${AUDIT_COLUMNS.join(', ')})
      select s.audit_id, $3, '${isUser ? 'createUser' : 'createDivision'}', $4, $5, $6, '${isUser ? 'user' : 'division'}',
             s.id, s.${isUser ? 'division_id' : 'id'}, null, s.creation::json ${created}`,
    [...range, now, author.userId, author.name, author.requestId],
  );
  return rowCount ?? 0;
};

/** What a change of a row assigns besides its values. */
const versionsOf = (file: Staged): string =>
  `version = t.version + 1${file === 'divisions' ? ', name_version = t.name_version + (t.name <> w.name)::int' : ''}`;

/** Stores the decided changes of some lines. The rows must be locked. */
const storeChanges = async (
  client: Client,
  file: Staged,
  { author, ids, now }: PlannedLoad,
  changes: readonly Change[],
): Promise<void> => {
  const { columns, table } = SUBJECTS[file];
  const assignments = columns.filter((column) => column !== 'id').map((column) => `${column} = w.${column}`);
  const write = (statement: string, rows: readonly unknown[]) => client.query(statement, [JSON.stringify(rows)]);
  await write(
    `update ${table} t set ${assignments.join(', ')}, ${versionsOf(file)}
       from json_populate_recordset(null::${table}, $1) w where t.id = w.id`,
    changes.map(({ stored }) => stored),
  );
  await write(
    `insert into audit_entry (${AUDIT_COLUMNS.join(', ')}) select ${AUDIT_COLUMNS.join(', ')}
       from json_populate_recordset(null::audit_entry, $1)`,
    changes.map(({ audit, auditId }) => auditRow(auditId ?? ids.next(), now, author, audit)),
  );
  // Refresh tokens without a session are useless, and are purged when they expire. A login that ends excess sessions
  // locks them in the same order.
  for (const [voided, key, isConcerned] of [
    ['session', 'id', 'endsSessions'],
    ['personal_token', 'id', 'endsTokens'],
    ['password_link', 'user_id', 'voidsLink'],
  ] as const) {
    const users = changes.filter((change) => change[isConcerned]).map(({ audit }) => audit.targetId);
    const rows = `select ${key} from ${voided} where user_id = any ($1) order by ${key} for update`;
    if (users.length > 0) await client.query(`delete from ${voided} where ${key} in (${rows})`, [users]);
  }
};

const storeStaged = async (client: Client, file: Staged, load: PlannedLoad, progress: (rows: number) => void) => {
  const { changed = 0, created = 0 }: Partial<PlannedRows> = load.plan[file] ?? {};
  const given = load.given[file];
  let stored = 0;
  for (const range of await lineRanges(client, SUBJECTS[file])) {
    if (created > 0) stored += await storeCreations(client, file, load, range);
    if (given && changed > 0) {
      const changes = await decideChanges(client, file, given, 'change', range);
      if (changes.length > 0) await storeChanges(client, file, load, changes);
      stored += changes.length;
    }
    progress(stored);
  }
  return stored;
};

/**
 * Removes the keys of the emails that the load moves from changed users to other rows. It runs before those rows are
 * written, because the unique index is checked row by row. The emails stay, because audit entries contain them.
 */
const FREE_EMAILS = `update user_account t set email_key = null from bulk_user s
  where s.action = 'change' and t.id = s.target and t.email_key is distinct from s.email_key
    and exists (select from bulk_user o where o.email_key = t.email_key)`;

const NO_PROGRESS: IndexProgress = { building: () => {}, kept: () => {} };

const loadedTables = ({ divisions, missing, users }: PlannedLoad['plan']): readonly LoadedTable[] => {
  const entries = divisions.created + divisions.changed + users.created + users.changed + (missing?.changed ?? 0);
  // The order in which the service's own transactions lock these tables: another order could deadlock.
  return [
    { table: 'division', rows: divisions.created },
    { table: 'user_account', rows: users.created },
    { table: 'audit_entry', rows: entries },
  ];
};

/**
 * Stores the planned rows. Rolls back and returns null if another transaction has taken a name or changed a planned row
 * meanwhile. Stores them again if the database broke a deadlock, such as with a Leader who moves to a division that the
 * load renames. `progress` gets the number of rows stored so far.
 */
export const storePlanned = async (
  client: Client,
  load: PlannedLoad,
  progress: (rows: number) => void,
  indexes: IndexProgress = NO_PROGRESS,
  attempts = WRITING.maxAttempts,
): Promise<BulkCounts | null> => {
  const { plan } = load;
  const tables = loadedTables(plan);
  if (tables.every(({ rows }) => rows === 0)) return { divisions: 0, users: 0 };
  await client.query('create index if not exists bulk_password_line on bulk_password (line)');
  await client.query('analyze bulk_password');
  await client.query('savepoint before_store');
  try {
    const counts = await withoutSecondaryIndexes(client, tables, indexes, async () => {
      if (plan.divisions.changed + plan.users.changed + (plan.missing?.changed ?? 0) > 0)
        await lockPlanned(client, load);
      const divisions = await storeStaged(client, 'divisions', load, progress);
      if (plan.users.changed > 0) await client.query(FREE_EMAILS);
      const users = await storeStaged(client, 'users', load, (rows) => progress(divisions + rows));
      if (plan.missing) await storeStaged(client, 'missing', load, (rows) => progress(divisions + users + rows));
      return { divisions, users };
    });
    // The statistics still describe the smaller tables, and plans of lists depend on them. A role that does not own the
    // tables only gets a warning here; autovacuum analyzes them later.
    await client.query('analyze division, user_account');
    return counts;
  } catch (error) {
    const isTaken = error instanceof DatabaseError && TAKEN_MEANWHILE.has(error.code ?? '');
    const isRepeated = attempts > 1 && isWorthRetrying(error);
    if (!isTaken && !isRepeated && !(error instanceof ChangedMeanwhile)) throw error;
    await client.query('rollback to savepoint before_store');
    return isRepeated ? storePlanned(client, load, progress, indexes, attempts - 1) : null;
  }
};
