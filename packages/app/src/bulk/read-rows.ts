import { type KnownColumns, readHeader } from '../csv/columns.ts';
import type { CsvFile } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { Cells } from './cells.ts';

const cellsByColumn = (columns: readonly string[], cells: readonly string[]): Cells => {
  const named: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    // An empty cell means the default, except for `groups`, where it means no groups.
    if (column === 'groups' || (column === 'password' ? cell !== '' : cell.trim() !== '')) named[column] = cell;
  }
  return named;
};

/** A row of a file: its line, and its cells by column or, if their number differs from the header's, the fault. */
export interface FileRow {
  readonly line: number;
  readonly cells: Cells | string;
}

/**
 * Reads the rows of a file below its header.
 *
 * @throws OperatorError if the header is invalid or no row follows it.
 */
export async function* readRows(
  file: CsvFile,
  known: KnownColumns,
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
    yield { line, cells: fits ? cellsByColumn(columns, cells) : misfit };
  }
  if (rows > 0) return;
  throw new OperatorError(
    columns
      ? `${file.name} has no rows below its header; there is nothing to import.`
      : `${file.name} contains only blank lines; its first line must contain the column names.`,
  );
}
