import { newRecordKey } from '@chapter/domain';
import { listColumn } from '../schema/mapping.ts';
import type { ConflictReason } from './bulk-load.ts';
import { type GivenColumns, lacksEmptyValue } from './match.ts';
import { type BulkField, SUBJECTS, type Subject } from './subjects.ts';

const conflict = (field: string, reason: ConflictReason, firstLine = 'null::int'): string =>
  `select s.line, '${field}' as field, '${reason}' as reason, ${firstLine} as first_line`;

const repeated = (staged: string, column: string, field: string): string =>
  `${conflict(field, 'repeated', 'd.first_line')}
     from ${staged} s
     join (select ${column}, min(line) as first_line from ${staged} where ${column} is not null
            group by ${column} having count(*) > 1) d using (${column})
    where s.line > d.first_line`;

const taken = ({ staged, table }: Subject, column: string, field: string, isFreed: string): string =>
  `${conflict(field, 'taken')} from ${staged} s join ${table} t using (${column})
    where t.id is distinct from s.target and not ${isFreed}`;

/**
 * Returns an SQL condition: whether the load changes this value of the stored row `t`, so that another row may have it. False
 * for names, because they identify the rows.
 */
const freed = ({ nameField, staged }: Subject, column: string, field: string, given: GivenColumns | null): string =>
  given === null || field === 'id' || field === nameField
    ? 'false'
    : `exists (select from ${staged} o where o.target = t.id and o.${column} is distinct from t.${column})`;

const uniqueConflicts = (subject: Subject, given: GivenColumns | null): readonly string[] =>
  subject.fields
    .filter(({ isUnique }) => isUnique)
    .flatMap((one) => {
      const [column, { field }] = [listColumn(one), one];
      return [
        repeated(subject.staged, column, field),
        taken(subject, column, field, freed(subject, column, field, given)),
      ];
    });

const UNKNOWN_DIVISION = `${conflict('divisionId', 'unknown')} from bulk_user s
    where s.division_id is not null
      and not exists (select from division d where d.id = s.division_id)
      and not exists (select from bulk_division d where d.id = s.division_id)`;

const isRequired = ({ default: forNewRow, kind }: BulkField): boolean =>
  forNewRow === undefined && (kind === 'text' || kind === 'division');

/** Returns queries for the conflicts that only a match finds. They skip incomplete rows, which may be matched wrongly. */
const matchConflicts = ({ fields, nameField, staged }: Subject, given: GivenColumns): readonly string[] => {
  const name = fields.find(({ field }) => field === nameField)?.column;
  const missing = fields
    .filter((field) => isRequired(field) && !given.has(field.column))
    .map((field) =>
      field.field === nameField
        ? `${conflict('id', 'unknown')} from ${staged} s where s.complete and s.target is null`
        : `${conflict(newRecordKey(field.field, field), 'required')} from ${staged} s
            where s.complete and s.target is null and s.${name} is not null`,
    );
  const emptied = fields
    .filter((field) => lacksEmptyValue(field) && given.has(field.column))
    .map(
      ({ column, field }) =>
        `${conflict(field, 'empty')} from ${staged} s where s.complete and s.target is not null and s.${column} is null`,
    );
  return [...missing, ...emptied];
};

/**
 * Returns a query for the conflicts, one row for each line and field. Values of incomplete rows are compared too. `given` are
 * the columns of the file, or null if its rows have not been matched.
 */
export const conflictQuery = (subject: Subject, given: GivenColumns | null): string =>
  [
    ...uniqueConflicts(subject, given),
    ...(subject === SUBJECTS.users ? [UNKNOWN_DIVISION] : []),
    ...(given === null ? [] : matchConflicts(subject, given)),
  ].join('\nunion all\n');
