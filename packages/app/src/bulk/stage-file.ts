import type { BulkFile, BulkLoad, BulkRow } from '@chapter/adapters-postgres';
import { snakeCase } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { type BadLines, firstLines, type LineFault, MAX_REPORTED_LINES } from './bad-lines.ts';
import type { Progress } from './progress.ts';
import { readRows } from './read-rows.ts';
import type { CheckedRow, RowRules } from './row-rules.ts';

const detailOf = (kind: BulkFile, { field, firstLine }: { field: string; firstLine: number | null }): string => {
  if (field === 'divisionId') return 'is the id of no division, neither stored nor imported with it';
  if (firstLine !== null) return `is that of line ${firstLine} already`;
  return `is that of ${kind === 'users' ? 'a user' : 'a division'} already stored`;
};

/** Faults that a later look finds, beside those that are known. */
const withConflicts = async (
  load: BulkLoad,
  kind: BulkFile,
  name: string,
  known: readonly LineFault[],
): Promise<BadLines> => {
  const { badLines, conflicts } = await load.findings(kind, MAX_REPORTED_LINES);
  const found = conflicts.map((conflict) => ({
    file: name,
    line: conflict.line,
    field: snakeCase(conflict.field),
    detail: detailOf(kind, conflict),
  }));
  return { lines: badLines, faults: firstLines([...known, ...found], MAX_REPORTED_LINES) };
};

/** A file that waits to be stored. */
export interface StagedFile extends BadLines {
  readonly rows: number;
  /** How many passwords are to be hashed. */
  readonly passwords: number;
  /** Looks again for what others have taken meanwhile. */
  readonly recheck: () => Promise<BadLines>;
}

/** Checks every row of a file and stages it. @throws OperatorError where the file as a whole is not in order. */
export const stageFile = async <T>(
  load: BulkLoad,
  kind: BulkFile,
  file: CsvFile,
  { check, columns }: RowRules<T>,
  stage: (rows: AsyncIterable<BulkRow<T>>) => Promise<void>,
  progress: Progress,
): Promise<StagedFile> => {
  const faults: LineFault[] = [];
  let [rows, bad, passwords] = [0, 0, 0];
  const checked = async function* (): AsyncGenerator<BulkRow<T>> {
    for await (const { cells, line } of readRows(file, columns, (bytes) => progress.to(bytes))) {
      const row: CheckedRow<T> =
        typeof cells === 'string'
          ? { values: {}, faults: [{ field: '', code: 'invalid_format', detail: cells }] }
          : check(cells);
      rows += 1;
      if (row.password !== undefined) passwords += 1;
      if (row.faults.length > 0 && ++bad <= MAX_REPORTED_LINES) {
        const told = row.faults.map(({ detail, field }) => ({
          file: file.name,
          line,
          field: snakeCase(field),
          detail,
        }));
        faults.push(...told);
      }
      yield { line, complete: row.faults.length === 0, values: row.values };
    }
  };
  progress.begin(`Checking ${file.name}`, file.size);
  await stage(checked());
  const recheck = (): Promise<BadLines> => withConflicts(load, kind, file.name, faults);
  return { rows, passwords, ...(await recheck()), recheck };
};
