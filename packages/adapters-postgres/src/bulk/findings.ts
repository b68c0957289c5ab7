import type { Client } from 'pg';
import { divisionMapping } from '../schema/division-mapping.ts';
import { listColumn, type StoredFields, uniqueFields } from '../schema/mapping.ts';
import { userMapping } from '../schema/user-mapping.ts';
import type { BulkConflict, BulkFile, BulkFindings } from './bulk-load.ts';

const repeated = (table: string, column: string, field: string): string =>
  `select s.line, '${field}' as field, d.first_line
     from ${table} s
     join (select ${column}, min(line) as first_line from ${table} where ${column} is not null
            group by ${column} having count(*) > 1) d using (${column})
    where s.line > d.first_line`;

const stored = (table: string, target: string, column: string, field: string): string =>
  `select s.line, '${field}', null::int from ${table} s join ${target} t using (${column})`;

const uniqueConflicts = <Field extends string>(
  table: string,
  target: string,
  mapping: StoredFields<Field>,
): readonly string[] =>
  uniqueFields(mapping).flatMap((field) => {
    const column = listColumn(mapping[field]);
    return [repeated(table, column, field), stored(table, target, column, field)];
  });

const UNKNOWN_DIVISION = `select s.line, 'divisionId', null::int from bulk_user s
    where s.division_id is not null
      and not exists (select from division d where d.id = s.division_id)
      and not exists (select from bulk_division d where d.id = s.division_id)`;

/** One query for each kind of conflict; it returns all lines with that conflict. Incomplete rows are included. */
const CONFLICTS: Readonly<Record<BulkFile, readonly string[]>> = {
  divisions: uniqueConflicts('bulk_division', 'division', divisionMapping),
  users: [...uniqueConflicts('bulk_user', 'user_account', userMapping), UNKNOWN_DIVISION],
};

const TABLES: Readonly<Record<BulkFile, string>> = { divisions: 'bulk_division', users: 'bulk_user' };

/** Finds the conflicts on the first `maxLines` lines of a staged file that have any. @throws the database's own errors. */
export const findConflicts = async (client: Client, file: BulkFile, maxLines: number): Promise<BulkFindings> => {
  const table = TABLES[file];
  await client.query(`analyze ${table}`);
  await client.query(`drop table if exists bulk_conflict`);
  await client.query(`create temporary table bulk_conflict on commit drop as ${CONFLICTS[file].join('\nunion all\n')}`);
  const { rows: conflicts } = await client.query<BulkConflict>(
    `select line, field, first_line as "firstLine" from bulk_conflict
      where line in (select distinct line from bulk_conflict order by line limit $1) order by line, field, first_line`,
    [maxLines],
  );
  const counted = await client.query<{ lines: number }>(
    `select count(*)::int as lines from
      (select line from bulk_conflict union select line from ${table} where not complete) bad`,
  );
  return { conflicts, badLines: counted.rows[0]?.lines ?? 0 };
};
