import { type KnownColumns, readHeader } from '../csv/columns.ts';
import type { CsvFile } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { Cells } from './cells.ts';

const cellsByColumn = (columns: readonly string[], cells: readonly string[]): Cells => {
  const named: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    // No groups is something else than nothing said of groups.
    if (column === 'groups' || (column === 'password' ? cell !== '' : cell.trim() !== '')) named[column] = cell;
  }
  return named;
};

/** A row of a file: its line, and either its cells by column or, with another number of cells than the header, what is wrong. */
export interface FileRow {
  readonly line: number;
  readonly cells: Cells | string;
}

/**
 * The rows of a file below its header.
 *
 * @throws OperatorError where the header is not in order, or is all there is.
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
    const misfit = `has ${cells.length} values where the header has ${columns.length} names`;
    yield { line, cells: fits ? cellsByColumn(columns, cells) : misfit };
  }
  if (rows > 0) return;
  throw new OperatorError(
    columns
      ? `${file.name} has no lines below its header; there is nothing to import.`
      : `${file.name} has blank lines only; its first line must be the names of the columns.`,
  );
}
