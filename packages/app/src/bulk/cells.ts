import {
  type FieldCheck,
  type FieldColumns,
  type FieldKind,
  fault,
  fileColumn,
  newRecordKey,
  parseUuid,
  removeFormulaGuard,
} from '@chapter/domain/api';
import { parseDateOrInstant } from '../text/text.ts';
import type { Cells } from './read-rows.ts';

const trimmed =
  <T>(check: (text: string) => ReturnType<FieldCheck<T>>): FieldCheck<T> =>
  (input) =>
    check(String(input).trim());

/** Accepts `true` or `false` in any case, because spreadsheets write them in capitals. */
export const flagCell: FieldCheck<boolean> = trimmed((text) => {
  const lower = text.toLowerCase();
  return lower === 'true' || lower === 'false'
    ? { value: lower === 'true' }
    : fault('invalid_format', 'must be true or false');
});

/** Accepts a UUID of any version, because another system may have generated it. */
export const idCell: FieldCheck<string> = trimmed((text) => {
  const value = parseUuid(text);
  return value === undefined ? fault('invalid_format', 'must be a UUID') : { value };
});

/** Accepts the id of a division. */
export const divisionIdCell: FieldCheck<string> = (input) =>
  String(input).trim() === '' ? fault('too_short', 'must not be empty') : idCell(input);

const EARLIEST_INSTANT = '1900-01-01T00:00:00.000Z';

/** Accepts an ISO 8601 date or time from 1900 on and returns it as an instant in UTC. */
export const instantCell: FieldCheck<string> = trimmed((text) => {
  const value = parseDateOrInstant(text);
  if (value === undefined) {
    return fault('invalid_format', 'must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00.000Z');
  }
  return value >= EARLIEST_INSTANT ? { value } : fault('out_of_range', 'must not be before 1900');
});

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
export const makeReadCells = (fields: Fields): ((cells: Cells) => Readonly<Record<string, unknown>>) => {
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
