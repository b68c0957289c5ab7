import type { BulkConflict, BulkFile, BulkLoad, BulkRow, ConflictReason } from '@chapter/adapters-postgres';
import { type Fault, snakeCase } from '@chapter/domain/api';
import type { CsvFile } from '../csv/csv-file.ts';
import { didYouMean } from '../text/text.ts';
import { rejectGuessable } from './file-passwords.ts';
import { readRows } from './read-rows.ts';
import { type BadLines, type LineFault, MAX_REPORTED_LINES, type Progress, takeFirstLines } from './report.ts';
import type { CheckedRow, RowRules } from './row-rules.ts';

/** Makes the checks of a file by its rules, which collect the faults of the first bad lines, and count passwords. */
const checkRows = <T>(file: CsvFile, rules: RowRules<T>) => {
  const faults: LineFault[] = [];
  const counts = { passwords: 0, bad: 0, weak: 0 };
  let columns: readonly string[] = [];
  const report = (line: number, found: CheckedRow<T>['faults'], pass: 'bad' | 'weak'): void => {
    if (found.length === 0 || ++counts[pass] > MAX_REPORTED_LINES) return;
    faults.push(...found.map(({ detail, field }) => ({ file: file.name, line, field: snakeCase(field), detail })));
  };
  return {
    faults,
    counts,
    columns: () => new Set(columns),
    /** Adds the fault of a password on a line that had no fault until now. */
    addWeakPassword: (line: number, fault: Fault) => report(line, [{ field: 'password', ...fault }], 'weak'),
    rows: async function* (progress: (bytes: number) => void): AsyncGenerator<BulkRow<T>> {
      for await (const { blank, cells, columns: names, line } of readRows(file, rules, progress)) {
        const row: CheckedRow<T> =
          typeof cells === 'string'
            ? { values: {}, faults: [{ field: '', code: 'invalid_format', detail: cells }] }
            : rules.check(cells);
        columns = names;
        if (row.hasPassword) counts.passwords += 1;
        report(line, row.faults, 'bad');
        yield { line, complete: row.faults.length === 0, values: row.values, blank };
      }
    },
  };
};

interface ConflictContext extends Omit<BulkConflict, 'line' | 'reason' | 'divisionKey'> {
  readonly thing: 'user' | 'division';
  readonly updates: boolean;
}

const THINGS: Readonly<Record<BulkFile, ConflictContext['thing']>> = { divisions: 'division', users: 'user' };

const NAMES: Readonly<Record<ConflictContext['thing'], string>> = { division: 'name', user: 'username' };

const DETAILS: Readonly<Record<ConflictReason, (context: ConflictContext) => string>> = {
  repeated: ({ field, firstLine, updates, thing }) =>
    updates && field === 'id' ? `is that of the ${thing} in line ${firstLine}` : `is already used in line ${firstLine}`,
  taken: ({ field, updates, thing }) =>
    updates && field === NAMES[thing] ? `belongs to another stored ${thing}` : `is already used by a stored ${thing}`,
  unknown: ({ field, thing }) =>
    field === 'divisionId' || field === 'division'
      ? 'does not match a stored or imported division'
      : `does not match a stored ${thing}, and a new ${thing} needs a ${NAMES[thing]}`,
  different: () => 'is not the name of the division with this division_id',
  required: ({ thing }) => `is required for a new ${thing}`,
  empty: ({ thing }) => `must not be empty for a stored ${thing}`,
};

/**
 * Describes a conflict, as the continuation of a sentence that starts with the field's name. `updates` tells whether
 * the import changes the stored rows that match.
 */
const describeConflict = (kind: BulkFile, { reason, ...conflict }: BulkConflict, updates: boolean): string =>
  DETAILS[reason]({ ...conflict, thing: THINGS[kind], updates });

interface FileToStage<T> {
  readonly kind: BulkFile;
  readonly file: CsvFile;
  readonly rules: RowRules<T>;
  readonly update: boolean;
  readonly stage: (rows: AsyncIterable<BulkRow<T>>) => Promise<void>;
}

/** A file whose rows are staged, and its bad lines. */
export interface StagedFile extends BadLines {
  readonly passwords: number;
  /** Checks again for conflicts with rows that other transactions have stored since. */
  readonly recheck: () => Promise<BadLines>;
}

const placeOf = ({ firstLine, line }: BulkConflict): string => `${line} ${firstLine}`;

const isSameRow = ({ field, reason }: BulkConflict): boolean => field === 'id' && reason === 'repeated';

/** If two lines match the same stored row, all their unique values conflict. Keeps only the conflict of the ids. */
const withoutConsequences = (conflicts: readonly BulkConflict[]): readonly BulkConflict[] => {
  const same = new Set(conflicts.filter(isSameRow).map(placeOf));
  return conflicts.filter((conflict) => isSameRow(conflict) || !same.has(placeOf(conflict)));
};

/** Whether a value identifies a stored row, so that an update would change that row. */
const identifiesStored = ({ field, reason }: BulkConflict): boolean => reason === 'taken' && field !== 'email';

const hasUnknownName = ({ divisionKey, reason }: BulkConflict): boolean => reason === 'unknown' && divisionKey !== null;

/** Adds the faults that the database finds in the staged rows to the known faults. */
const withConflicts = async (
  load: BulkLoad,
  { file, kind, update }: Pick<FileToStage<unknown>, 'file' | 'kind' | 'update'>,
  known: readonly LineFault[],
): Promise<BadLines> => {
  const { badLines, conflicts } = await load.findings(kind, MAX_REPORTED_LINES);
  const names = conflicts.some(hasUnknownName) ? await load.divisionNames() : [];
  const found = (update ? withoutConsequences(conflicts) : conflicts).map((conflict) => ({
    file: file.name,
    line: conflict.line,
    field: snakeCase(conflict.field),
    detail: `${describeConflict(kind, conflict, update)}${hasUnknownName(conflict) ? didYouMean(conflict.divisionKey ?? '', names) : ''}`,
  }));
  const faults = takeFirstLines([...known, ...found], MAX_REPORTED_LINES);
  return { lines: badLines, faults, needUpdate: !update && conflicts.some(identifiesStored) };
};

/** Matches the rows with stored ones, and compares the passwords with names that are not in the file. */
const matchRows = async (
  load: BulkLoad,
  { file, kind, rules }: FileToStage<unknown>,
  { addWeakPassword, columns, counts }: Pick<ReturnType<typeof checkRows>, 'addWeakPassword' | 'columns' | 'counts'>,
): Promise<void> => {
  const given = columns();
  await load.match(kind, given.has('division') ? given.union(new Set(['division_id'])) : given);
  if (counts.passwords === 0 || (given.has('username') && given.has('email'))) return;
  for await (const { line, ...fault } of rejectGuessable(load, file, rules)) {
    addWeakPassword(line, fault);
  }
};

/**
 * Checks every row of a file and stages it. Returns the function that compares the staged rows with each other and with
 * the stored ones, which locks tables. @throws OperatorError if the file is invalid as a whole.
 */
export const stageFile = async <T>(
  load: BulkLoad,
  staged: FileToStage<T>,
  progress: Progress,
): Promise<() => Promise<StagedFile>> => {
  const { file, rules, stage, update } = staged;
  const checks = checkRows(file, rules);
  progress.begin(`Checking ${file.name}`, file.size);
  await stage(checks.rows((bytes) => progress.to(bytes)));
  const recheck = (): Promise<BadLines> => withConflicts(load, staged, checks.faults);
  return async () => {
    if (update) await matchRows(load, staged, checks);
    return { passwords: checks.counts.passwords, ...(await recheck()), recheck };
  };
};
