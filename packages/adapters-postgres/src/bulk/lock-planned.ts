import type { Client } from 'pg';
import type { BulkCounts } from './bulk-load.ts';

// Both statements lock rows in the order of their ids, like all transactions, and skip rows with a newer version.
const LOCK_USERS = `select count(*)::int as changed from (
  select from user_account t join bulk_user s on s.target = t.id
   where s.action = 'change' and s.version = t.version order by t.id for no key update of t) locked`;

// A division that loses a Leader is locked like in every other change that removes one, so that two changes cannot remove
// the last two.
const LOCK_DIVISIONS = `select count(*) filter (where is_changed)::int as changed from (
  select s.target is not null as is_changed
    from division t left join bulk_division s on s.target = t.id and s.action = 'change' and s.version = t.version
   where s.target is not null or t.id in (select left_division from bulk_user)
   order by t.id for no key update of t) locked`;

const lock = async (client: Client, statement: string): Promise<number> =>
  (await client.query<{ changed: number }>(statement)).rows[0]?.changed ?? 0;

/**
 * Locks the rows that the plan changes: users before divisions, like the service. Returns the number of rows that have not
 * changed since they were matched.
 *
 * @throws the database's own errors.
 */
export const lockPlanned = async (client: Client): Promise<BulkCounts> => {
  const users = await lock(client, LOCK_USERS);
  return { users, divisions: await lock(client, LOCK_DIVISIONS) };
};
