import type { Author } from '@chapter/domain/ports';
import type { Client } from 'pg';
import type { EntrySources } from '../audit/audit-writer.ts';
import type { WithClient } from '../connection/unpooled-clients.ts';
import { USERS_PER_FETCH } from '../users/user-directory.ts';
import type {
  BulkFile,
  BulkLoad,
  BulkPlan,
  LoadInBulk,
  MissingUser,
  PlannedMissing,
  PlannedRows,
} from './bulk-load.ts';
import { divisionNames, findConflicts, plannedNames, resolveDivisions } from './conflicts.ts';
import { type GivenColumns, markChanges, matchStaged } from './match.ts';
import { createStaged, type Staged, SUBJECTS, stageDivisions, stageUsers } from './staging.ts';
import { findLeaderless, storePlanned } from './store.ts';

/** The column that the deactivation of a user gives. */
const DEACTIVATION: GivenColumns = new Set(['is_active']);

// The lines match the same users as in `match.ts`, before and after they are matched: a line without an id has a new one before.
const IS_MISSING = `not exists (select from bulk_user s where s.id = t.id)
   and not exists (select from bulk_user s where not s.has_id and s.username_key = t.username_key)`;

const STAGE_MISSING = `insert into bulk_missing (line, complete, has_id, is_active, target, version, action)
  select row_number() over (), true, true, false, t.id, t.version, 'unchanged'
    from user_account t where t.is_active and ${IS_MISSING}`;

/**
 * Stages the deactivation of the active users that no line matches. Without `force`, the Leaders among them stay active
 * whose division would otherwise have no active Leader.
 */
const stageMissing = async (client: Client, force: boolean): Promise<void> => {
  await client.query(STAGE_MISSING);
  await markChanges(client, 'missing', DEACTIVATION);
  if (force) return;
  const divisions = (await findLeaderless(client)).map(({ id }) => id);
  await client.query(`update bulk_missing set action = 'kept' where left_division = any ($1)`, [divisions]);
};

const planMissing = async (client: Client): Promise<PlannedMissing> => {
  const counted = await client.query<Omit<PlannedMissing, 'kept'>>(
    `select (select count(*)::int from bulk_missing where action = 'change') as changed,
            (select count(*)::int from user_account where is_active) as active`,
  );
  const { rows: kept } = await client.query<PlannedMissing['kept'][number]>(
    `select t.username, d.name as division from bulk_missing s join user_account t on t.id = s.target
       join division d on d.id = t.division_id where s.action = 'kept' order by t.username_key`,
  );
  return { ...(counted.rows[0] ?? { active: 0, changed: 0 }), kept };
};

/**
 * Reads the stored users that no staged line matches, by username, in batches. `receive` may take hours: only reading locks are held.
 */
const readMissing = async (client: Client, receive: (users: readonly MissingUser[]) => Promise<void>) => {
  await client.query('analyze bulk_user');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  await client.query(`declare missing no scroll cursor for
    select t.username, t.first_name as "firstName", t.last_name as "lastName", d.name as division, t.is_active as "isActive"
      from user_account t join division d on d.id = t.division_id where ${IS_MISSING} order by t.username_key`);
  for (;;) {
    const { rows } = await client.query<MissingUser>(`fetch ${USERS_PER_FETCH} from missing`);
    if (rows.length > 0) await receive(rows);
    if (rows.length < USERS_PER_FETCH) return;
  }
};

const PASSWORDS = 'create temporary table bulk_password (line int not null, password_hash text) on commit drop';

const countPlanned = async (client: Client, file: BulkFile): Promise<PlannedRows> => {
  const { rows } = await client.query<PlannedRows>(
    `select count(*) filter (where action = 'create')::int as created,
            count(*) filter (where action = 'change')::int as changed,
            count(*) filter (where action = 'unchanged')::int as unchanged from ${SUBJECTS[file].staged}`,
  );
  return rows[0] ?? { created: 0, changed: 0, unchanged: 0 };
};

/** Makes the operations of a load, with the database's own errors. `onStored` is called after a plan has been stored. */
const makeLoad = (client: Client, author: Author, { clock, ids }: EntrySources, onStored: () => void): BulkLoad => {
  const given: { [Rows in Staged]?: GivenColumns } = {};
  return {
    stageDivisions: (rows) => stageDivisions(client, ids, rows),
    stageUsers: (rows) => stageUsers(client, ids, rows),
    stagePasswords: async (passwords) => {
      // Hashing takes long. Between these statements the transaction is idle, so the database ends it if the process is stopped.
      for await (const { line, passwordHash } of passwords) {
        await client.query('insert into bulk_password values ($1, $2)', [line, passwordHash]);
      }
    },
    divisionNames: () => divisionNames(client),
    match: async (file, columns) => {
      if (file === 'users') await resolveDivisions(client);
      await matchStaged(client, file, columns);
      given[file] = columns;
    },
    plannedNames: (lines) => plannedNames(client, given.users ?? new Set(), lines),
    rejectUsers: async (lines) => {
      await client.query('update bulk_user set complete = false where line = any ($1)', [lines]);
    },
    findings: (file, maxLines) => findConflicts(client, file, maxLines),
    deactivateMissing: async ({ force }) => {
      await stageMissing(client, force);
      given.missing = DEACTIVATION;
    },
    readMissing: (receive) => readMissing(client, receive),
    plan: async () => {
      const plan = {
        divisions: await countPlanned(client, 'divisions'),
        users: await countPlanned(client, 'users'),
        leaderless: await findLeaderless(client),
        missing: given.missing ? await planMissing(client) : null,
      };
      const store: BulkPlan['store'] = async (progress, indexes) => {
        const counts = await storePlanned(client, { plan, given, author, ids, now: clock.now() }, progress, indexes);
        if (counts) onStored();
        return counts;
      };
      return { ...plan, store };
    },
  };
};

const open = async (client: Client): Promise<void> => {
  // The checks for conflicts sort and hash whole files.
  await client.query(`set local work_mem = '64MB'`);
  for (const statement of [...Object.values(SUBJECTS).map(createStaged), PASSWORDS]) await client.query(statement);
};

/** Makes bulk loads. Each load is one transaction on its own connection. */
export const makeLoadInBulk =
  (withClient: WithClient, options: EntrySources): LoadInBulk =>
  (author, work) =>
    withClient('begin', async (client, commit) => {
      await open(client);
      let isStored = false;
      const result = await work(makeLoad(client, author, options, () => (isStored = true)));
      if (isStored) await commit();
      return result;
    });
