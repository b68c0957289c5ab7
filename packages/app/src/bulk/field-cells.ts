import { type FieldCheck, type FieldColumns, type FieldKind, newRecordKey, snakeCase } from '@chapter/domain';
import { type Cells, unguarded } from './cells.ts';

type Fields = Readonly<Record<string, Pick<FieldColumns, 'kind'>>>;

const itself = (cell: string): string => cell;

// Faults of a line follow this order of kinds, as they did in release 0.1.0.
/** How the check of each kind of field gets its cell. */
const READERS: Readonly<Record<FieldKind, (cell: string) => unknown>> = {
  text: unguarded,
  date: (cell) => cell.trim(),
  division: itself,
  groups: (cell) =>
    cell
      .split(';')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  boolean: itself,
  instant: itself,
  uuid: itself,
};

const KINDS = Object.keys(READERS);

const columnOf = (field: string, definition: Pick<FieldColumns, 'kind'>): string =>
  snakeCase(newRecordKey(field, definition));

/** Lists the columns of a file of records with these fields. */
export const columnsOf = (fields: Fields): readonly string[] =>
  Object.entries(fields).map(([field, definition]) => columnOf(field, definition));

/** Makes the reader of a row's cells, which returns the fields that the row names. */
export const makeReadFields = (fields: Fields): ((cells: Cells) => Readonly<Record<string, unknown>>) => {
  const readers = Object.entries(fields)
    .toSorted(([, one], [, other]) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind))
    .map(([field, definition]) => {
      const name = newRecordKey(field, definition);
      return [name, columnOf(field, definition), READERS[definition.kind]] as const;
    });
  return (cells) => {
    const values: Record<string, unknown> = {};
    for (const [name, column, read] of readers) {
      const cell = cells[column];
      if (cell !== undefined) values[name] = read(cell);
    }
    return values;
  };
};

/** Gives several fields the same check. */
export const checkEach = <Field extends string, T>(fields: readonly Field[], check: FieldCheck<T>) =>
  Object.fromEntries(fields.map((field) => [field, check])) as Readonly<Record<Field, FieldCheck<T>>>;
