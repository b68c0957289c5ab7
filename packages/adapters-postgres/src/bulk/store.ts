import type { Author, Instant } from '@chapter/domain';
import { type Client, DatabaseError } from 'pg';
import type { BulkCounts, BulkFile, BulkPlan, IndexProgress } from './bulk-load.ts';
import { decideChanges } from './decide-changes.ts';
import { lockPlanned } from './lock-planned.ts';
import { findLeaderless } from './plan.ts';
import {
  DIVISION_STATEMENTS,
  END_SESSIONS,
  FREE_EMAILS,
  type RowStatements,
  USER_STATEMENTS,
  VOID_LINKS,
  WRITE_DECIDED,
} from './row-statements.ts';
import { type LoadedTable, withoutSecondaryIndexes } from './secondary-indexes.ts';
import { SUBJECTS } from './subjects.ts';

/** Maximum number of rows that a statement stores. */
const MAX_ROWS_PER_BATCH = 20_000;

/** Minimum number of batches, so that the operator's progress moves by at most 2 % at once. */
const MIN_BATCHES = 50;

/** SQLSTATEs of conflicts with a concurrent change: unique and foreign key violations (PostgreSQL, appendix A). */
const TAKEN_MEANWHILE = new Set(['23505', '23503']);

/** A planned row was changed by another transaction. */
class ChangedMeanwhile extends Error {}

/** The plan of one load. */
type Plan = Omit<BulkPlan, 'store'>;

/** Stores the changes of a batch, as decided on the locked rows. Returns their number. */
const storeChanges = async (
  client: Client,
  file: BulkFile,
  update: string,
  authorship: readonly unknown[],
  batch: readonly number[],
): Promise<number> => {
  const { audited, ended, voided } = await decideChanges(client, file, batch);
  const { rowCount } = await client.query(update, [...batch]);
  const entries = JSON.stringify(audited.map(([id, audit]) => Object.assign({ id }, audit)));
  await client.query(WRITE_DECIDED, [entries, ...authorship]);
  if (ended.length > 0) await client.query(END_SESSIONS, [ended]);
  if (voided.length > 0) await client.query(VOID_LINKS, [voided]);
  return rowCount ?? 0;
};

const storeInBatches = async (
  client: Client,
  file: BulkFile,
  { auditInsert, insert, update }: RowStatements,
  authorship: readonly unknown[],
  progress: (rows: number) => void,
): Promise<number> => {
  const { staged } = SUBJECTS[file];
  await client.query(`create index if not exists ${staged}_ordinal on ${staged} (ordinal)`);
  await client.query(`analyze ${staged}`);
  const { rows } = await client.query<{ last: number; hasChanges: boolean }>(
    `select coalesce(max(ordinal), 0) as last, coalesce(bool_or(action = 'change'), false) as "hasChanges"
       from ${staged} where action <> 'unchanged'`,
  );
  const { hasChanges, last } = rows[0] ?? { hasChanges: false, last: 0 };
  const size = Math.min(MAX_ROWS_PER_BATCH, Math.max(1, Math.floor(last / MIN_BATCHES)));
  let stored = 0;
  for (let from = 0; from <= last; from += size) {
    const batch = [from, from + size];
    stored += (await client.query(insert, batch)).rowCount ?? 0;
    await client.query(auditInsert, [...batch, ...authorship]);
    if (hasChanges) stored += await storeChanges(client, file, update, authorship, batch);
    progress(stored);
  }
  return stored;
};

const NO_PROGRESS: IndexProgress = { building: () => {}, kept: () => {} };

const loadedTables = ({ divisions, users }: Plan): readonly LoadedTable[] => {
  const entries = divisions.created + divisions.changed + users.created + users.changed;
  // The order in which the service's own transactions lock these tables: another order could deadlock.
  return [
    { table: 'division', rows: divisions.created },
    { table: 'user_account', rows: users.created },
    { table: 'audit_entry', rows: entries },
  ];
};

/** Locks what the plan changes. @throws ChangedMeanwhile if the plan would now be different. */
const requireSamePlan = async (client: Client, { divisions, leaderless, users }: Plan): Promise<void> => {
  const locked = await lockPlanned(client);
  const isSame =
    locked.divisions === divisions.changed &&
    locked.users === users.changed &&
    (await findLeaderless(client)).length === leaderless.length;
  if (!isSame) throw new ChangedMeanwhile();
};

/**
 * Stores the planned rows. Rolls back and returns null if another transaction has taken a name or changed a planned row
 * meanwhile. `progress` gets the number of rows stored so far.
 *
 * @throws the database's own errors.
 */
export const storePlanned = async (
  client: Client,
  plan: Plan,
  { name, requestId, userId }: Author,
  now: Instant,
  progress: (rows: number) => void,
  indexes: IndexProgress = NO_PROGRESS,
): Promise<BulkCounts | null> => {
  const tables = loadedTables(plan);
  if (tables.every(({ rows }) => rows === 0)) return { divisions: 0, users: 0 };
  const authorship = [now, userId, name, requestId];
  const hasChanges = plan.divisions.changed + plan.users.changed > 0;
  await client.query('create index if not exists bulk_password_line on bulk_password (line)');
  await client.query('analyze bulk_password');
  await client.query('savepoint before_store');
  try {
    const counts = await withoutSecondaryIndexes(client, tables, indexes, async () => {
      if (hasChanges) await requireSamePlan(client, plan);
      const divisions = await storeInBatches(client, 'divisions', DIVISION_STATEMENTS, authorship, progress);
      if (plan.users.changed > 0) await client.query(FREE_EMAILS);
      const users = await storeInBatches(client, 'users', USER_STATEMENTS, authorship, (rows) =>
        progress(divisions + rows),
      );
      return { divisions, users };
    });
    // The statistics still describe the smaller tables, and plans of lists depend on them. A role that does not own the
    // tables only gets a warning here; autovacuum analyzes them later.
    await client.query('analyze division, user_account');
    return counts;
  } catch (error) {
    const isTaken = error instanceof DatabaseError && TAKEN_MEANWHILE.has(error.code ?? '');
    if (!isTaken && !(error instanceof ChangedMeanwhile)) throw error;
    await client.query('rollback to savepoint before_store');
    return null;
  }
};
