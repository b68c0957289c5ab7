import type { CsvFile, CsvRecord } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { didYouMean, formatCount } from '../text/text.ts';

interface KnownColumns {
  readonly required: readonly string[];
  /** Columns of which the file must have at least one. */
  readonly anyOf?: readonly string[];
  readonly optional: readonly string[];
}

/** The columns of a file. */
export interface FileColumns {
  readonly columns: KnownColumns;
  /** Columns in which an empty cell is a value. In other columns, it means the same as a missing column. */
  readonly keepsEmpty: ReadonlySet<string>;
}

/** The cells of a row by column name. Empty cells are absent, unless an empty cell is a value in their column. */
export type Cells = Readonly<Partial<Record<string, string>>>;

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const separator = (header: string): string | undefined =>
  [';', '\t', '|'].find((candidate) => header.includes(candidate) && !header.includes(','));

/**
 * Reads the column names from the header of a file.
 *
 * @throws OperatorError that names every unknown, repeated or missing column.
 */
const readHeader = (name: string, { cells }: CsvRecord, { anyOf = [], optional, required }: KnownColumns) => {
  const known = [...required, ...anyOf, ...optional];
  const columns = cells.map((cell) => cell.trim());
  const wrongSeparator = cells.length === 1 && separator(columns[0] ?? '');
  if (wrongSeparator) {
    const shown = wrongSeparator === '\t' ? 'a tab' : `"${wrongSeparator}"`;
    throw new OperatorError(`${name}, line 1: the columns are separated by ${shown}; save the file with commas.`);
  }
  const unknown = columns.filter((column) => !known.includes(column));
  const repeated = columns.filter((column, at) => known.includes(column) && columns.indexOf(column) < at);
  const missing = required.filter((column) => !columns.includes(column));
  const lacksAll = anyOf.length > 0 && !anyOf.some((column) => columns.includes(column));
  const faults = [
    ...unknown.map((column) => {
      const near = known.find((candidate) => column !== '' && candidate.startsWith(`${column}_`));
      const hint = near ? `; did you mean ${near}?` : didYouMean(column, known);
      return column === ''
        ? 'a column has no name'
        : `unknown column "${column}"${hint || `; the columns are ${known.join(', ')}`}`;
    }),
    ...(repeated.length > 0 ? [`${quoted([...new Set(repeated)])} appears twice; remove one`] : []),
    ...(missing.length > 0 ? [`${quoted(missing)} is missing; add it to the header and to every line`] : []),
    ...(lacksAll ? [`the header must have one of the columns ${quoted(anyOf)}`] : []),
  ];
  if (faults.length > 0) {
    throw new OperatorError(
      faults.map((fault) => `${name}, line 1: ${fault}${fault.endsWith('?') ? '' : '.'}`).join('\n'),
    );
  }
  return columns;
};

/** Whether a cell means the same as a missing column. A password may consist of spaces. */
const isBlank = (column: string, cell: string, keepsEmpty: ReadonlySet<string>): boolean =>
  !keepsEmpty.has(column) && (column === 'password' ? cell : cell.trim()) === '';

interface FileRow {
  readonly line: number;
  readonly columns: readonly string[];
  /** The cells by column, or the fault if their number differs from the number of columns. */
  readonly cells: Cells | string;
  readonly blank: readonly string[];
}

/** Reads the rows of a file below its header. @throws OperatorError if the header is invalid or no row follows it. */
export async function* readRows(
  file: CsvFile,
  { columns: known, keepsEmpty }: FileColumns,
  progress: (bytes: number) => void,
): AsyncGenerator<FileRow> {
  let columns: readonly string[] | undefined;
  let rows = 0;
  for await (const record of file.records(progress)) {
    const { cells, line } = record;
    if (!columns) {
      columns = readHeader(file.name, record, known);
      continue;
    }
    rows += 1;
    if (cells.length !== columns.length) {
      const misfit = `has ${formatCount(cells.length, 'value')}, but the header has ${formatCount(columns.length, 'column')}`;
      yield { line, columns, cells: misfit, blank: [] };
      continue;
    }
    const named: Record<string, string> = {};
    const blank: string[] = [];
    for (const [at, column] of columns.entries()) {
      const cell = cells[at] ?? '';
      if (isBlank(column, cell, keepsEmpty)) blank.push(column);
      else named[column] = cell;
    }
    yield { line, columns, cells: named, blank };
  }
  if (rows > 0) return;
  throw new OperatorError(
    columns
      ? `${file.name} has no rows below its header; there is nothing to import.`
      : `${file.name} contains only blank lines; its first line must contain the column names.`,
  );
}
