import type { BulkCounts, BulkLoad, IndexProgress, LoadInBulk } from '@chapter/adapters-postgres';
import { OPERATOR, type PasswordHasher } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { BadLines } from './bad-lines.ts';
import { divisionRows } from './division-rows.ts';
import { hashPasswords } from './hash-passwords.ts';
import type { Progress } from './progress.ts';
import { type StagedFile, stageFile } from './stage-file.ts';
import { type UserRowPorts, userRows } from './user-rows.ts';

/** The ports of an import. */
export interface ImportPorts extends UserRowPorts {
  readonly loadInBulk: LoadInBulk;
  readonly hasher: PasswordHasher;
  /** Number of passwords to hash concurrently. */
  readonly hashConcurrency: number;
  readonly progress: Progress;
  /** Called with the number of passwords before they are hashed. */
  readonly hashing: (passwords: number) => void;
  /** Called with the reason if a large import keeps the indexes, which makes it slower. */
  readonly keptIndexes: IndexProgress['kept'];
}

/** The files of an import. */
export interface ImportFiles {
  readonly divisions?: CsvFile;
  readonly users?: CsvFile;
}

/** Thrown to roll the import back; carries the bad lines of the files. */
export class BadLinesError extends Error {
  readonly files: readonly BadLines[];
  constructor(files: readonly BadLines[]) {
    super('some lines are invalid');
    this.files = files;
  }
}

const throwOnBadLines = (files: readonly BadLines[]): void => {
  if (files.some(({ lines }) => lines > 0)) throw new BadLinesError(files);
};

const storeAll = async (
  load: BulkLoad,
  staged: readonly StagedFile[],
  { keptIndexes, progress }: Pick<ImportPorts, 'keptIndexes' | 'progress'>,
): Promise<BulkCounts> => {
  progress.begin(
    'Storing',
    staged.reduce((sum, { rows }) => sum + rows, 0),
  );
  const building = (built: number, total: number): void => {
    if (built === 0) progress.begin('Building indexes', total);
    progress.to(built);
  };
  const counts = await load.store((rows) => progress.to(rows), { building, kept: keptIndexes });
  if (counts) return counts;
  const found: BadLines[] = [];
  for (const { recheck } of staged) found.push(await recheck());
  throwOnBadLines(found);
  throw new OperatorError('The database changed during the import; try again.');
};

/**
 * Imports divisions, then users, in one transaction: all rows or none.
 *
 * @throws BadLinesError with the bad lines of both files; OperatorError if a file is invalid as a whole.
 */
export const makeImportFiles =
  ({ hasher, hashConcurrency, hashing, keptIndexes, loadInBulk, progress, ...ports }: ImportPorts) =>
  ({ divisions, users }: ImportFiles): Promise<BulkCounts> =>
    loadInBulk(OPERATOR, async (load) => {
      const staged: StagedFile[] = [];
      if (divisions) {
        staged.push(
          await stageFile(
            load,
            'divisions',
            divisions,
            divisionRows(ports.ids),
            (rows) => load.stageDivisions(rows),
            progress,
          ),
        );
      }
      const rules = userRows(ports);
      if (users) {
        const file = await stageFile(load, 'users', users, rules, (rows) => load.stageUsers(rows), progress);
        staged.push(file);
        throwOnBadLines(staged);
        if (file.passwords > 0) {
          hashing(file.passwords);
          progress.begin('Hashing passwords', file.passwords);
          await load.stagePasswords(hashPasswords(users, rules.columns, hasher, hashConcurrency, progress));
        }
      }
      throwOnBadLines(staged);
      for (const file of [divisions, users]) await file?.assertUnchanged();
      return storeAll(load, staged, { keptIndexes, progress });
    });
