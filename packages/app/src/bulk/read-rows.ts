import { readHeader } from '../csv/columns.ts';
import type { CsvFile } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { Cells } from './cells.ts';
import type { FileColumns } from './row-rules.ts';

const cellsByColumn = (
  columns: readonly string[],
  cells: readonly string[],
  keepsEmpty: ReadonlySet<string>,
): Cells => {
  const named: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    const isEmpty = column === 'password' ? cell === '' : cell.trim() === '';
    if (!isEmpty || keepsEmpty.has(column)) named[column] = cell;
  }
  return named;
};

/** A row of a file. */
export interface FileRow {
  readonly line: number;
  readonly columns: readonly string[];
  /** The cells by column, or the fault if their number differs from the number of columns. */
  readonly cells: Cells | string;
}

/**
 * Reads the rows of a file below its header.
 *
 * @throws OperatorError if the header is invalid or no row follows it.
 */
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
    const fits = cells.length === columns.length;
    const misfit = `has ${cells.length} values, but the header has ${columns.length} columns`;
    yield { line, columns, cells: fits ? cellsByColumn(columns, cells, keepsEmpty) : misfit };
  }
  if (rows > 0) return;
  throw new OperatorError(
    columns
      ? `${file.name} has no rows below its header; there is nothing to import.`
      : `${file.name} contains only blank lines; its first line must contain the column names.`,
  );
}
