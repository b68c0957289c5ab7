import type { BulkRow } from '@chapter/adapters-postgres';
import { type Fault, snakeCase } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { type LineFault, MAX_REPORTED_LINES } from './bad-lines.ts';
import { readRows } from './read-rows.ts';
import type { CheckedRow, RowRules } from './row-rules.ts';

/** Checks the rows of a file, counts them and collects the faults of the first bad lines. */
export interface RowChecks<T> {
  /** Yields the valid part of each row. */
  readonly rows: (progress: (bytes: number) => void) => AsyncGenerator<BulkRow<T>>;
  /** Adds a fault of a line that had no fault until now, and counts the line as bad. */
  readonly addFault: (line: number, field: string, fault: Fault) => void;
  readonly faults: readonly LineFault[];
  readonly counts: { readonly rows: number; readonly passwords: number };
  /** The columns of the file. */
  readonly columns: () => ReadonlySet<string>;
}

/** Makes the checks of a file by its rules. */
export const checkRows = <T>(file: CsvFile, rules: RowRules<T>): RowChecks<T> => {
  const faults: LineFault[] = [];
  const counts = { rows: 0, passwords: 0, bad: 0 };
  let columns: readonly string[] = [];
  const report = (line: number, found: CheckedRow<T>['faults']): void => {
    if (found.length === 0 || ++counts.bad > MAX_REPORTED_LINES) return;
    faults.push(...found.map(({ detail, field }) => ({ file: file.name, line, field: snakeCase(field), detail })));
  };
  return {
    faults,
    counts,
    columns: () => new Set(columns),
    addFault: (line, field, fault) => report(line, [{ field, ...fault }]),
    rows: async function* (progress) {
      for await (const { cells, columns: names, line } of readRows(file, rules, progress)) {
        const row: CheckedRow<T> =
          typeof cells === 'string'
            ? { values: {}, faults: [{ field: '', code: 'invalid_format', detail: cells }] }
            : rules.check(cells);
        columns = names;
        counts.rows += 1;
        if (row.password !== undefined) counts.passwords += 1;
        report(line, row.faults);
        yield { line, complete: row.faults.length === 0, values: row.values };
      }
    },
  };
};
