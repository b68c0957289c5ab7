import type { FieldKind } from '@chapter/domain/ports';
import type { Client } from 'pg';
import { listColumn } from '../schema/mapping.ts';
import type { BulkConflict, BulkFile, BulkFindings, ConflictReason, PlannedNames } from './bulk-load.ts';
import type { GivenColumns } from './match.ts';
import { type BulkField, SUBJECTS, type Subject } from './staging.ts';

const conflict = (field: string, reason: ConflictReason, firstLine = 'null::int'): string =>
  `select s.line, '${field}' as field, '${reason}' as reason, ${firstLine} as first_line, null as division_key`;

/** Returns queries for the rows that have the same value in a unique field as an earlier or a stored row. */
const duplicates = ({ nameField, staged, table }: Subject, unique: BulkField): readonly string[] => {
  const { field } = unique;
  const column = listColumn(unique);
  // Another row may have a value that the load changes, unless it identifies the stored row.
  const isFreed =
    field === 'id' || field === nameField.field
      ? 'false'
      : `exists (select from ${staged} o where o.target = t.id and o.${column} is distinct from t.${column})`;
  return [
    `${conflict(field, 'repeated', 'd.first_line')} from ${staged} s
       join (select ${column}, min(line) as first_line from ${staged} where ${column} is not null
              group by ${column} having count(*) > 1) d using (${column})
      where s.line > d.first_line`,
    `${conflict(field, 'taken')} from ${staged} s join ${table} t using (${column})
      where t.id is distinct from s.target and not ${isFreed}`,
  ];
};

/** The divisions with their names after the load. Two rows with the same name are a conflict of their own. */
const NAMED_DIVISIONS = `select distinct on (name_key) id, name, name_key from (
    select id, name, name_key from bulk_division where name is not null union all
    select id, name, name_key from division t
     where not exists (select from bulk_division s where s.target = t.id and s.name is not null)) named
  order by name_key, id`;

/** Finds the divisions of the staged users who have only the name of one. */
export const resolveDivisions = (client: Client) =>
  client.query(`update bulk_user s set division_id = d.id from (${NAMED_DIVISIONS}) d
    where d.name_key = s.division_key and s.division_id is null`);

const MISNAMED_DIVISION = `select s.line, 'division', case when d.id is null then 'unknown' else 'different' end, null::int, s.division_key collate "default"
    from bulk_user s left join (${NAMED_DIVISIONS}) d on d.name_key = s.division_key
    where s.division_key is not null and (d.id is null or d.id <> s.division_id)`;

const UNKNOWN_DIVISION = `${conflict('divisionId', 'unknown')} from bulk_user s
    where s.division_id is not null and s.division_key is null
      and not exists (select from division d where d.id = s.division_id)
      and not exists (select from bulk_division d where d.id = s.division_id)`;

const MISSING_DIVISION = `${conflict('divisionId', 'required')} from bulk_user s
    where s.complete and s.target is null and s.username is not null and s.division_id is null and s.division_key is null`;

const KINDS_WITHOUT_EMPTY_VALUE: ReadonlySet<FieldKind> = new Set<FieldKind>(['boolean', 'date', 'instant']);

/** Returns queries for the values that a new row or a matched one lacks, without rows whose faults are known. */
const missing = ({ fields, nameField, staged }: Subject): readonly string[] => {
  const neverEmpty = fields.filter(({ kind, nullable }) => !nullable && KINDS_WITHOUT_EMPTY_VALUE.has(kind));
  const names = neverEmpty.map(({ column, field }) => `('${column}', '${field}')`).join(', ');
  return [
    `${conflict('id', 'unknown')} from ${staged} s where s.complete and s.target is null and s.${nameField.column} is null`,
    // One scan for all fields.
    ...(names === ''
      ? []
      : [
          `select s.line, e.field, 'empty', null, null from ${staged} s join (values ${names}) e (name, field) on e.name = any (s.blank)
            where s.complete and s.target is not null`,
        ]),
  ];
};

/** Returns a query for the conflicts, one row for each line and field. Values of incomplete rows are compared too. */
const conflictQuery = (subject: Subject): string =>
  [
    ...subject.fields.filter(({ isUnique }) => isUnique).flatMap((field) => duplicates(subject, field)),
    ...(subject === SUBJECTS.users ? [UNKNOWN_DIVISION, MISNAMED_DIVISION, MISSING_DIVISION] : []),
    ...missing(subject),
  ].join('\nunion all\n');

/** Finds the conflicts on the first `maxLines` lines of a staged file that have any. */
export const findConflicts = async (client: Client, file: BulkFile, maxLines: number): Promise<BulkFindings> => {
  const subject = SUBJECTS[file];
  if (file === 'users') await resolveDivisions(client);
  await client.query(`analyze ${subject.staged}`);
  await client.query(`drop table if exists bulk_conflict`);
  await client.query(`create temporary table bulk_conflict on commit drop as ${conflictQuery(subject)}`);
  const { rows: conflicts } = await client.query<BulkConflict>(
    `select line, field, reason, first_line as "firstLine", division_key as "divisionKey" from bulk_conflict
      where line in (select distinct line from bulk_conflict order by line limit $1) order by line, field, first_line`,
    [maxLines],
  );
  const counted = await client.query<{ lines: number }>(
    `select count(*)::int as lines from
      (select line from bulk_conflict union select line from ${subject.staged} where not complete) bad`,
  );
  return { conflicts, badLines: counted.rows[0]?.lines ?? 0 };
};

/** Maximum number of names that an unknown one is compared with. */
const MAX_DIVISION_NAMES = 10_000;

/** Returns the names that divisions have after the load. */
export const divisionNames = async (client: Client): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>(`${NAMED_DIVISIONS} limit ${MAX_DIVISION_NAMES}`);
  return rows.map(({ name }) => name);
};

/** Returns the names of complete staged users after the load, by line. */
export const plannedNames = async (client: Client, given: GivenColumns, lines: readonly number[]) => {
  const [username, email] = ['username', 'email'].map((column) => (given.has(column) ? `s.${column}` : `t.${column}`));
  const { rows } = await client.query<{ line: number } & PlannedNames>(
    `select s.line, ${username}, ${email} from bulk_user s left join user_account t on t.id = s.target
      where s.complete and s.line = any ($1)`,
    [lines],
  );
  return new Map(rows.map(({ email, line, username }) => [line, { email, username }]));
};
