import { foldCase, type IdGenerator, newRecordKey } from '@chapter/domain';
import type { BulkDivision, BulkRow, BulkUser } from './bulk-load.ts';
import type { Cell } from './copy-rows.ts';
import { SUBJECTS, type Subject } from './subjects.ts';

/** The definition of the temporary table for the rows of a file: it has the columns that a load writes, all of them nullable. */
export interface Staging<T> {
  readonly table: string;
  readonly create: string;
  readonly columns: readonly string[];
  readonly cellsOf: (row: BulkRow<T>) => readonly Cell[];
}

/** The columns that a load writes, each with a function that makes its cell from the values of a row. */
type ColumnCells<T> = readonly (readonly [column: string, cellOf: (values: Partial<T>) => Cell])[];

/** Returns the text of a value of a field. */
export const cellText = (value: unknown): Cell => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? `{${value.join(',')}}` : null;
};

/** Returns the text of the key column of a text field. */
export const foldedText = (value: unknown): Cell => (typeof value === 'string' ? foldCase(value) : null);

const cellsOf = <T>({ fields }: Subject): ColumnCells<T> =>
  fields.flatMap(({ column, field, key, kind }): ColumnCells<T> => {
    const name = newRecordKey(field, { kind }) as keyof T;
    const cell = [column, (values: Partial<T>) => cellText(values[name])] as const;
    return key === null ? [cell] : [cell, [key, (values) => foldedText(values[name])]];
  });

const DIVISION: ColumnCells<BulkDivision> = cellsOf(SUBJECTS.divisions);

const USER: ColumnCells<BulkUser> = [
  ...cellsOf<BulkUser>(SUBJECTS.users),
  ['password_hash', ({ passwordHash }) => cellText(passwordHash)],
];

const columnsOf = <T>(cells: ColumnCells<T>): readonly string[] => cells.map(([column]) => column);

/** The columns of a division that a load writes. */
export const STAGED_DIVISION_COLUMNS = columnsOf(DIVISION);
/** The columns of a user that a load writes. */
export const STAGED_USER_COLUMNS = columnsOf(USER);

/**
 * Additional columns of both temporary tables, filled when a row is staged. `ordinal` is the order in which rows are stored:
 * the line, until the rows are matched. `new_id` is for a new row without an id.
 */
const ADDED_COLUMNS = ['line', 'ordinal', 'complete', 'audit_id', 'new_id', 'password_follows'];

/** The columns of users that only the match fills. */
const USER_DECISIONS = ['password_changed boolean', 'left_division uuid'].map((column) => `, add column ${column}`);

// The match fills the other columns: the stored row with its version, and what to do. Without a match, all rows are new.
const createFrom = ({ staged, table }: Subject, columns: readonly string[], added: readonly string[]): string =>
  `create temporary table ${staged} on commit drop as select ${columns.join(', ')} from ${table} with no data;
   alter table ${staged} add column line int not null, add column ordinal int not null,
     add column complete boolean not null, add column audit_id uuid, add column new_id uuid,
     add column password_follows boolean not null, add column target uuid, add column version int,
     add column action text not null default 'create'
     ${added.join('')}`;

const stagingOf = <T extends { readonly id: string; readonly passwordFollows?: boolean }>(
  subject: Subject,
  cells: ColumnCells<T>,
  ids: IdGenerator,
  added: readonly string[] = [],
): Staging<T> => {
  const columns = columnsOf(cells);
  return {
    table: subject.staged,
    create: createFrom(subject, columns, added),
    columns: [...ADDED_COLUMNS, ...columns],
    cellsOf: ({ complete, line, values }) => [
      String(line),
      String(line),
      String(complete),
      complete ? ids.next() : null,
      complete && values.id === undefined ? ids.next() : null,
      String(values.passwordFollows ?? false),
      ...cells.map(([, cellOf]) => cellOf(values)),
    ],
  };
};

/** Defines the temporary table for the rows of the file of divisions. */
export const divisionStaging = (ids: IdGenerator): Staging<BulkDivision> =>
  stagingOf(SUBJECTS.divisions, DIVISION, ids);

/** Defines the temporary table for the rows of the file of users. */
export const userStaging = (ids: IdGenerator): Staging<BulkUser> =>
  stagingOf(SUBJECTS.users, USER, ids, USER_DECISIONS);
