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

/** What an import needs. */
export interface ImportPorts extends UserRowPorts {
  readonly loadInBulk: LoadInBulk;
  readonly hasher: PasswordHasher;
  /** How many passwords to hash at once. */
  readonly hashesAtOnce: number;
  readonly progress: Progress;
  /** Is told that there are passwords to hash, before that begins. */
  readonly hashing: (passwords: number) => void;
  /** Is told why the indexes of a large import stay in place, which makes it slower. */
  readonly keptIndexes: IndexProgress['kept'];
}

/** The files of an import. */
export interface ImportFiles {
  readonly divisions?: CsvFile;
  readonly users?: CsvFile;
}

/** Undoes the import, and carries what is wrong with the files. */
export class BadLinesError extends Error {
  readonly files: readonly BadLines[];
  constructor(files: readonly BadLines[]) {
    super('some lines are not in order');
    this.files = files;
  }
}

const refuse = (files: readonly BadLines[]): void => {
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
  refuse(found);
  throw new OperatorError('The database was changed while the files were imported; try again.');
};

/**
 * Imports divisions, then users, all of them or nothing.
 *
 * @throws BadLinesError with every bad line of both files; OperatorError where a file as a whole is not in order.
 */
export const makeImportFiles =
  ({ hasher, hashesAtOnce, hashing, keptIndexes, loadInBulk, progress, ...ports }: ImportPorts) =>
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
        refuse(staged);
        if (file.passwords > 0) {
          hashing(file.passwords);
          progress.begin('Hashing passwords', file.passwords);
          await load.stagePasswords(hashPasswords(users, rules.columns, hasher, hashesAtOnce, progress));
        }
      }
      refuse(staged);
      for (const file of [divisions, users]) await file?.assertUnchanged();
      return storeAll(load, staged, { keptIndexes, progress });
    });
