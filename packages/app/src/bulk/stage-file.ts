import type { BulkFile, BulkLoad, BulkRow } from '@chapter/adapters-postgres';
import { snakeCase } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { type BadLines, type LineFault, MAX_REPORTED_LINES, takeFirstLines } from './bad-lines.ts';
import type { Progress } from './progress.ts';
import { readRows } from './read-rows.ts';
import type { CheckedRow, RowRules } from './row-rules.ts';

const detailOf = (kind: BulkFile, { field, firstLine }: { field: string; firstLine: number | null }): string => {
  if (field === 'divisionId') return 'does not match a stored or imported division';
  if (firstLine !== null) return `is already used in line ${firstLine}`;
  return `is already used by a stored ${kind === 'users' ? 'user' : 'division'}`;
};

/** Adds the faults that the database finds in the staged rows to the known faults. */
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
  return { lines: badLines, faults: takeFirstLines([...known, ...found], MAX_REPORTED_LINES) };
};

/** A file whose rows are staged, and its bad lines. */
export interface StagedFile extends BadLines {
  readonly rows: number;
  /** Number of passwords to hash. */
  readonly passwords: number;
  /** Checks again for conflicts with rows that other transactions have stored since. */
  readonly recheck: () => Promise<BadLines>;
}

/** Checks every row of a file and stages it. @throws OperatorError if the file is invalid as a whole. */
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
        const reported = row.faults.map(({ detail, field }) => ({
          file: file.name,
          line,
          field: snakeCase(field),
          detail,
        }));
        faults.push(...reported);
      }
      yield { line, complete: row.faults.length === 0, values: row.values };
    }
  };
  progress.begin(`Checking ${file.name}`, file.size);
  await stage(checked());
  const recheck = (): Promise<BadLines> => withConflicts(load, kind, file.name, faults);
  return { rows, passwords, ...(await recheck()), recheck };
};
