import {
  type FieldCheck,
  type FieldColumns,
  type FieldKind,
  fileColumn,
  newRecordKey,
  removeFormulaGuard,
} from '@chapter/domain';
import type { Cells } from './cells.ts';

type Fields = Readonly<Record<string, Pick<FieldColumns, 'kind' | 'nullable'>>>;

const unchanged = (cell: string): string => cell;

/** How to read a cell, by the kind of its field. The faults of a line are in the order of this list, as in release 0.1.0. */
const READERS: Readonly<Record<FieldKind, (cell: string) => unknown>> = {
  text: removeFormulaGuard,
  date: (cell) => cell.trim(),
  division: unchanged,
  groups: (cell) =>
    cell
      .split(';')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  boolean: unchanged,
  instant: unchanged,
  uuid: unchanged,
};

const KIND_ORDER = Object.keys(READERS);

/** Lists the file columns in which an empty cell is a value (null, empty text, no groups) or a fault of a required field. */
export const columnsKeepingEmpty = (fields: Fields): readonly string[] =>
  Object.entries(fields)
    .filter(([, { kind, nullable }]) => nullable || kind === 'text' || kind === 'groups' || kind === 'division')
    .map(([field, definition]) => fileColumn(field, definition));

/** Lists the file columns of these fields. */
export const columnsOf = (fields: Fields): readonly string[] =>
  Object.entries(fields).map(([field, definition]) => fileColumn(field, definition));

/** Makes a function that reads the fields of a row from its cells. An empty cell of a nullable field is read as null. */
export const makeReadFields = (fields: Fields): ((cells: Cells) => Readonly<Record<string, unknown>>) => {
  const readers = Object.entries(fields)
    .toSorted(([, one], [, other]) => KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind))
    .map(([field, definition]) => {
      const name = newRecordKey(field, definition);
      return [name, fileColumn(field, definition), READERS[definition.kind], definition.nullable] as const;
    });
  return (cells) => {
    const values: Record<string, unknown> = {};
    for (const [name, column, read, isNullable] of readers) {
      const cell = cells[column];
      if (cell !== undefined) values[name] = isNullable && cell.trim() === '' ? null : read(cell);
    }
    return values;
  };
};

/** Assigns the same check to several fields. */
export const checkEach = <Field extends string, T>(fields: readonly Field[], check: FieldCheck<T>) =>
  Object.fromEntries(fields.map((field) => [field, check])) as Readonly<Record<Field, FieldCheck<T>>>;
