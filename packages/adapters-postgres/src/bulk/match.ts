import type { FieldKind, Instant } from '@chapter/domain';
import { type Client, escapeLiteral } from 'pg';
import type { Cell } from './copy-rows.ts';
import { cellText, foldedText } from './staging.ts';
import { type BulkField, SUBJECTS, type Subject } from './subjects.ts';

/** The columns of a file. */
export type GivenColumns = ReadonlySet<string>;

const literal = (cell: Cell): string => (cell === null ? 'null' : escapeLiteral(cell));

const KINDS_WITHOUT_EMPTY_VALUE: ReadonlySet<FieldKind> = new Set<FieldKind>(['boolean', 'date', 'instant']);

/** Whether a field has no empty value. An empty cell then means the default in a new row, and is a conflict in a matched one. */
export const lacksEmptyValue = ({ kind, nullable }: BulkField): boolean =>
  !nullable && KINDS_WITHOUT_EMPTY_VALUE.has(kind);

/** SQL for the columns of a row after the load, from its staged row `s` and its stored row `t`, if any. */
const columnsAfter = (field: BulkField, given: GivenColumns, now: Instant): readonly string[] => {
  const { column, key, kind } = field;
  if (kind === 'uuid') return [`coalesce(t.id, s.id, s.new_id) as id`];
  const value = kind === 'instant' ? now : field.default;
  const forNewRow = literal(cellText(value));
  if (given.has(column)) {
    if (lacksEmptyValue(field)) {
      return [`case when t.id is null then coalesce(s.${column}, ${forNewRow}) else s.${column} end as ${column}`];
    }
    return key === null ? [`s.${column}`] : [`s.${column}`, `s.${key}`];
  }
  // A move puts the user into the default group, so that no Leader comes to lead another division (contract §10).
  const keepsValue =
    kind === 'groups' && given.has('division_id') ? 't.division_id = s.division_id' : 't.id is not null';
  const kept = `case when ${keepsValue} then t.${column} else ${forNewRow} end as ${column}`;
  if (key === null) return [kept];
  return [kept, `case when t.id is null then ${literal(foldedText(value))} else t.${key} end as ${key}`];
};

const leads = (row: string): string => `${row}.is_active and ${row}.groups @> '{Leader}'`;

/** SQL for the columns that only users have, from the stored row `t` and the columns `n` after the load. */
const columnsOfUsersOnly = (given: GivenColumns): readonly string[] => [
  `${passwordChange(given)} as password_changed`,
  `case when ${leads('t')} and not (${leads('n')} and n.division_id = t.division_id) then t.division_id end
     as left_division`,
];

const passwordChange = (given: GivenColumns): string =>
  given.has('password_hash')
    ? '(s.password_follows or n.password_hash is distinct from t.password_hash)'
    : 's.password_follows';

const matched = ({ fields, nameField, staged, table }: Subject): string => {
  const key = fields.find(({ field }) => field === nameField)?.key;
  return `select s.line, t.id from ${staged} s join ${table} t using (id)
    union all select s.line, t.id from ${staged} s join ${table} t using (${key}) where s.id is null`;
};

/** Returns the statement that creates the matched rows of a file in place of its staged rows. */
const matchStatement = (subject: Subject, given: GivenColumns, now: Instant): string => {
  const { fields, staged, table } = subject;
  const isUser = subject === SUBJECTS.users;
  const passwordHash = `${given.has('password_hash') ? 's' : 't'}.password_hash`;
  const after = [...fields.flatMap((field) => columnsAfter(field, given, now)), ...(isUser ? [passwordHash] : [])];
  const passwordChanged = isUser ? passwordChange(given) : 'false';
  const differences = fields
    .filter(({ kind }) => kind !== 'uuid')
    .map(({ column }) => `n.${column} is distinct from t.${column}`);
  return `
    create temporary table ${staged}_matched on commit drop as
    select (row_number() over (order by action = 'unchanged', target nulls first, line))::int as ordinal, m.*
      from (
        select s.line, s.complete, s.audit_id, s.password_follows, t.id as target, t.version, n.*,
               case when t.id is null then 'create'
                 when ${[...differences, passwordChanged].join(' or ')} then 'change' else 'unchanged' end as action
               ${isUser ? `, ${columnsOfUsersOnly(given).join(', ')}` : ''}
          from ${staged} s
          left join (${matched(subject)}) found on found.line = s.line
          left join ${table} t on t.id = found.id
          cross join lateral (select ${after.join(', ')}) n
      ) m`;
};

/**
 * Matches the staged rows of a file with stored ones. Completes them with the stored values or the defaults of new rows.
 * Decides for each row whether to create, change or keep the stored one. Changed rows come after new ones, in the order of
 * their ids, in which all transactions lock users.
 *
 * @throws the database's own errors.
 */
export const matchStaged = async (
  client: Client,
  subject: Subject,
  given: GivenColumns,
  now: Instant,
): Promise<void> => {
  const { staged } = subject;
  await client.query(`analyze ${staged}`);
  await client.query(matchStatement(subject, given, now));
  await client.query(`drop table ${staged}`);
  await client.query(`alter table ${staged}_matched rename to ${staged}`);
};
