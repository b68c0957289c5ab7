import {
  divisionDifferences,
  divisionFields,
  type FieldColumns,
  foldCase,
  type IdGenerator,
  newRecordKey,
  userDifferences,
  userFields,
} from '@chapter/domain';
import { divisionMapping } from '../schema/division-mapping.ts';
import { fieldsOf, type StoredFields } from '../schema/mapping.ts';
import { userMapping } from '../schema/user-mapping.ts';
import type { BulkDivision, BulkRow, BulkUser } from './bulk-load.ts';
import type { Cell } from './copy-rows.ts';

/** The temporary table for the rows of a file. It has the columns of the target table, all of them nullable. */
export interface Staging<T> {
  readonly table: string;
  readonly create: string;
  readonly columns: readonly string[];
  readonly cellsOf: (row: BulkRow<T>) => readonly Cell[];
}

/** The columns that a load writes, each with a function that makes its cell from the values of a row. */
type Cells<T> = readonly (readonly [column: string, cellOf: (values: Partial<T>) => Cell])[];

const cellText = (value: unknown): Cell => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? `{${value.join(',')}}` : null;
};

const foldedText = (value: unknown): Cell => (typeof value === 'string' ? foldCase(value) : null);

const cellsOf = <T, Field extends string>(
  fields: Readonly<Record<Field, FieldColumns>>,
  mapping: StoredFields<Field>,
): Cells<T> =>
  fieldsOf(fields).flatMap((field): Cells<T> => {
    const { column, key } = mapping[field];
    const name = newRecordKey(field, fields[field]) as keyof T;
    const cell = [column, (values: Partial<T>) => cellText(values[name])] as const;
    return key === null ? [cell] : [cell, [key, (values) => foldedText(values[name])]];
  });

const DIVISION: Cells<BulkDivision> = cellsOf(divisionFields, divisionMapping);

const USER: Cells<BulkUser> = [
  ...cellsOf<BulkUser, keyof typeof userFields>(userFields, userMapping),
  ['password_hash', ({ passwordHash }) => cellText(passwordHash)],
];

const columnsOf = <T>(cells: Cells<T>): readonly string[] => cells.map(([column]) => column);

/** The columns of a division that a load writes. */
export const STAGED_DIVISION_COLUMNS = columnsOf(DIVISION);
/** The columns of a user that a load writes. */
export const STAGED_USER_COLUMNS = columnsOf(USER);

/** Columns that both temporary tables add. `changes` is computed here, because the domain defines what is audited. */
const ADDED_COLUMNS = ['line', 'complete', 'audit_id', 'changes'];

const createFrom = (table: string, target: string, columns: readonly string[]): string =>
  `create temporary table ${table} on commit drop as select ${columns.join(', ')} from ${target} with no data;
   alter table ${table} add column line int not null, add column complete boolean not null,
     add column audit_id uuid, add column changes json`;

const stagingOf = <T>(
  target: string,
  table: string,
  cells: Cells<T>,
  ids: IdGenerator,
  changesOf: (values: T) => unknown,
): Staging<T> => {
  const columns = columnsOf(cells);
  return {
    table,
    create: createFrom(table, target, columns),
    columns: [...ADDED_COLUMNS, ...columns],
    cellsOf: ({ complete, line, values }) => [
      String(line),
      String(complete),
      complete ? ids.next() : null,
      // A complete row has all values.
      complete ? JSON.stringify(changesOf(values as T)) : null,
      ...cells.map(([, cellOf]) => cellOf(values)),
    ],
  };
};

/** The temporary table for the rows of a divisions' file. */
export const divisionStaging = (ids: IdGenerator): Staging<BulkDivision> =>
  stagingOf('division', 'bulk_division', DIVISION, ids, (values) =>
    divisionDifferences(null, { ...values, revision: '' }),
  );

/** The temporary table for the rows of a users' file. */
export const userStaging = (ids: IdGenerator): Staging<BulkUser> =>
  stagingOf(
    'user_account',
    'bulk_user',
    USER,
    ids,
    ({ divisionId, passwordFollows, passwordHash, ...user }: BulkUser) => {
      const shown = { ...user, division: { id: divisionId, name: '' }, revision: '' };
      return userDifferences(null, shown, { passwordChanged: passwordFollows || passwordHash !== null });
    },
  );
