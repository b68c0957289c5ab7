import type { BulkConflict, BulkFile, BulkLoad, BulkRow } from '@chapter/adapters-postgres';
import { type CommonPasswords, snakeCase } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { type BadLines, type LineFault, MAX_REPORTED_LINES, takeFirstLines } from './bad-lines.ts';
import { checkRows, type RowChecks } from './check-rows.ts';
import { describeConflict } from './conflict-text.ts';
import { rejectGuessable } from './planned-passwords.ts';
import type { Progress } from './progress.ts';
import type { RowRules } from './row-rules.ts';

/** A file of an import. */
export interface FileToStage<T> {
  readonly kind: BulkFile;
  readonly file: CsvFile;
  readonly rules: RowRules<T>;
  /** Whether rows update the stored rows that they match. */
  readonly update: boolean;
  readonly stage: (rows: AsyncIterable<BulkRow<T>>) => Promise<void>;
}

/** A file whose rows are staged, and its bad lines. */
export interface StagedFile extends BadLines {
  /** Number of passwords to hash. */
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

/** Adds the faults that the database finds in the staged rows to the known faults. */
const withConflicts = async (
  load: BulkLoad,
  { file, kind, update }: Pick<FileToStage<unknown>, 'file' | 'kind' | 'update'>,
  known: readonly LineFault[],
): Promise<BadLines> => {
  const { badLines, conflicts } = await load.findings(kind, MAX_REPORTED_LINES);
  const found = (update ? withoutConsequences(conflicts) : conflicts).map((conflict) => ({
    file: file.name,
    line: conflict.line,
    field: snakeCase(conflict.field),
    detail: describeConflict(kind, conflict, update),
  }));
  const faults = takeFirstLines([...known, ...found], MAX_REPORTED_LINES);
  return { lines: badLines, faults, needUpdate: !update && conflicts.some(identifiesStored) };
};

/** Matches the rows with stored ones, and compares the passwords with names that are not in the file. */
const matchRows = async (
  load: BulkLoad,
  { file, kind, rules }: FileToStage<unknown>,
  { addFault, columns, counts }: RowChecks<unknown>,
  commonPasswords: CommonPasswords,
): Promise<void> => {
  const given = columns();
  await load.match(kind, given);
  if (counts.passwords === 0 || (given.has('username') && given.has('email'))) return;
  for await (const { line, ...fault } of rejectGuessable(load, file, rules, commonPasswords)) {
    addFault(line, 'password', fault);
  }
};

/** Checks every row of a file and stages it. @throws OperatorError if the file is invalid as a whole. */
export const stageFile = async <T>(
  load: BulkLoad,
  staged: FileToStage<T>,
  progress: Progress,
  commonPasswords: CommonPasswords,
): Promise<StagedFile> => {
  const { file, rules, stage, update } = staged;
  const checks = checkRows(file, rules);
  progress.begin(`Checking ${file.name}`, file.size);
  await stage(checks.rows((bytes) => progress.to(bytes)));
  if (update) await matchRows(load, staged, checks, commonPasswords);
  const recheck = (): Promise<BadLines> => withConflicts(load, staged, checks.faults);
  return { passwords: checks.counts.passwords, ...(await recheck()), recheck };
};
