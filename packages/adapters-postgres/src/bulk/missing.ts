import type { Client } from 'pg';
import { USERS_PER_FETCH } from '../users/user-directory.ts';
import type { MissingUser, PlannedMissing } from './bulk-load.ts';
import { type GivenColumns, markChanges } from './match.ts';
import { findLeaderless } from './store.ts';

/** The column that the deactivation of a user gives. */
export const DEACTIVATION: GivenColumns = new Set(['is_active']);

// The lines match the same users as in `match.ts`, before and after they are matched: a line without an id has a new one before.
const IS_MISSING = `not exists (select from bulk_user s where s.id = t.id)
   and not exists (select from bulk_user s where not s.has_id and s.username_key = t.username_key)`;

const STAGE_MISSING = `insert into bulk_missing (line, complete, has_id, is_active, target, version, action)
  select row_number() over (), true, true, false, t.id, t.version, 'unchanged'
    from user_account t where t.is_active and ${IS_MISSING}`;

/**
 * Stages the deactivation of the active users that no line matches. Without `force`, the Leaders among them stay active whose
 * division would otherwise have no active Leader.
 *
 * @throws the database's own errors.
 */
export const stageMissing = async (client: Client, force: boolean): Promise<void> => {
  await client.query(STAGE_MISSING);
  await markChanges(client, 'missing', DEACTIVATION);
  if (force) return;
  const divisions = (await findLeaderless(client)).map(({ id }) => id);
  await client.query(`update bulk_missing set action = 'kept' where left_division = any ($1)`, [divisions]);
};

/** Returns what the load does with the users that no line matches. @throws the database's own errors. */
export const planMissing = async (client: Client): Promise<PlannedMissing> => {
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
 *
 * @throws the database's own errors; those of `receive`.
 */
export const readMissing = async (
  client: Client,
  receive: (users: readonly MissingUser[]) => Promise<void>,
): Promise<void> => {
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
