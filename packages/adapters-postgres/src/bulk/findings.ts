import type { Client } from 'pg';
import type { BulkConflict, BulkFile, BulkFindings } from './bulk-load.ts';

const repeated = (table: string, column: string, field: string): string =>
  `select s.line, '${field}' as field, d.first_line
     from ${table} s
     join (select ${column}, min(line) as first_line from ${table} where ${column} is not null
            group by ${column} having count(*) > 1) d using (${column})
    where s.line > d.first_line`;

const stored = (table: string, target: string, column: string, field: string): string =>
  `select s.line, '${field}', null::int from ${table} s join ${target} t using (${column})`;

const UNKNOWN_DIVISION = `select s.line, 'divisionId', null::int from bulk_user s
    where s.division_id is not null
      and not exists (select from division d where d.id = s.division_id)
      and not exists (select from bulk_division d where d.id = s.division_id)`;

/** Each names every line with one kind of conflict. A row that is not complete conflicts as it would when completed. */
const CONFLICTS: Readonly<Record<BulkFile, readonly string[]>> = {
  divisions: [['id', 'id'] as const, ['name_key', 'name'] as const].flatMap(([column, field]) => [
    repeated('bulk_division', column, field),
    stored('bulk_division', 'division', column, field),
  ]),
  users: [
    ...[['id', 'id'] as const, ['username_key', 'username'] as const, ['email_key', 'email'] as const].flatMap(
      ([column, field]) => [repeated('bulk_user', column, field), stored('bulk_user', 'user_account', column, field)],
    ),
    UNKNOWN_DIVISION,
  ],
};

const TABLES: Readonly<Record<BulkFile, string>> = { divisions: 'bulk_division', users: 'bulk_user' };

/** See `BulkLoad.findings`. @throws the database's own errors. */
export const findConflicts = async (client: Client, file: BulkFile, most: number): Promise<BulkFindings> => {
  const table = TABLES[file];
  await client.query(`analyze ${table}`);
  await client.query(`drop table if exists bulk_conflict`);
  await client.query(`create temporary table bulk_conflict on commit drop as ${CONFLICTS[file].join('\nunion all\n')}`);
  const { rows: conflicts } = await client.query<BulkConflict>(
    `select line, field, first_line as "firstLine" from bulk_conflict
      where line in (select distinct line from bulk_conflict order by line limit $1) order by line, field, first_line`,
    [most],
  );
  const counted = await client.query<{ lines: number }>(
    `select count(*)::int as lines from
      (select line from bulk_conflict union select line from ${table} where not complete) bad`,
  );
  return { conflicts, badLines: counted.rows[0]?.lines ?? 0 };
};
