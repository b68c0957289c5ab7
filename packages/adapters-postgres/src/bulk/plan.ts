import type { DivisionReference } from '@chapter/domain';
import type { Client } from 'pg';
import type { PlannedNames, PlannedRows } from './bulk-load.ts';
import type { Subject } from './subjects.ts';

/** Counts the staged rows by what the load does with them. @throws the database's own errors. */
export const countPlanned = async (client: Client, { staged }: Subject): Promise<PlannedRows> => {
  const { rows } = await client.query<PlannedRows>(
    `select count(*) filter (where action = 'create')::int as created,
            count(*) filter (where action = 'change')::int as changed,
            count(*) filter (where action = 'unchanged')::int as unchanged from ${staged}`,
  );
  return rows[0] ?? { created: 0, changed: 0, unchanged: 0 };
};

const LEADS = `is_active and groups @> '{Leader}'`;

const PLANNED = `s.action <> 'unchanged'`;

// Unchanged rows are not locked and may have changed since they were staged, so the stored ones are read.
const FIND_LEADERLESS = `
  select d.id, d.name from division d
   where d.id in (select left_division from bulk_user)
     and not exists (select from bulk_user s where s.division_id = d.id and ${PLANNED} and ${LEADS})
     and not exists (select from user_account t where t.division_id = d.id and ${LEADS}
                       and not exists (select from bulk_user s where s.target = t.id and ${PLANNED}))
     and (exists (select from bulk_user s where s.division_id = d.id and ${PLANNED})
       or exists (select from user_account t where t.division_id = d.id
                    and not exists (select from bulk_user s where s.target = t.id and ${PLANNED})))
   order by d.name_key`;

/**
 * Finds the divisions that lose their last active Leader by changes of matched users, although they keep members. Leaves out
 * divisions that have no active Leader before the load.
 *
 * @throws the database's own errors.
 */
export const findLeaderless = async (client: Client): Promise<readonly DivisionReference[]> => {
  const { rowCount } = await client.query('select from bulk_user where left_division is not null limit 1');
  if (rowCount === 0) return [];
  for (const column of ['target', 'division_id']) {
    await client.query(`create index if not exists bulk_user_${column} on bulk_user (${column})`);
  }
  await client.query('analyze bulk_user');
  return (await client.query<DivisionReference>(FIND_LEADERLESS)).rows;
};

/** Returns the names of complete staged users after the load, by line. @throws the database's own errors. */
export const plannedNames = async (
  client: Client,
  lines: readonly number[],
): Promise<ReadonlyMap<number, PlannedNames>> => {
  await client.query('create index if not exists bulk_user_line on bulk_user (line)');
  const { rows } = await client.query<{ line: number } & PlannedNames>(
    'select line, username, email from bulk_user where complete and line = any ($1)',
    [lines],
  );
  return new Map(rows.map(({ email, line, username }) => [line, { email, username }]));
};

/** Marks staged users as incomplete. @throws the database's own errors. */
export const rejectUsers = async (client: Client, lines: readonly number[]): Promise<void> => {
  await client.query('update bulk_user set complete = false where line = any ($1)', [lines]);
};
