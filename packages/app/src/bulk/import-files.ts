import type { BulkLoad, BulkPlan, IndexProgress, LoadInBulk } from '@chapter/adapters-postgres';
import { OPERATOR, type PasswordHasher } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { hashPasswords } from './file-passwords.ts';
import type { BadLines, Progress } from './report.ts';
import { divisionRows, type UserRowPorts, userRows } from './row-rules.ts';
import { type StagedFile, stageFile } from './stage-file.ts';

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

/** What an import does with its files. All options are off by default. */
export interface ImportOptions {
  /** Whether rows change the stored rows that they match, by id or, without an id, by name. */
  readonly update?: boolean;
  /** Whether to check and plan only. */
  readonly dryRun?: boolean;
  /** Whether the import may leave a division with members but without an active Leader. */
  readonly force?: boolean;
}

/** Thrown to roll the import back; carries the bad lines of the files. */
export class BadLinesError extends Error {
  readonly files: readonly BadLines[];
  constructor(files: readonly BadLines[]) {
    super('some lines are invalid');
    this.files = files;
  }
}

/** Maximum number of divisions that the error names. It counts the others. */
const MAX_NAMED = 20;

/**
 * Refuses an import that would leave divisions with members but without an active Leader. Contract §10.
 *
 * @throws OperatorError that names the divisions.
 */
const requireLeaders = (leaderless: BulkPlan['leaderless']): void => {
  if (leaderless.length === 0) return;
  const names = leaderless.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = leaderless.length > MAX_NAMED ? ` and ${leaderless.length - MAX_NAMED} more` : '';
  throw new OperatorError(
    `The import would remove the last active Leader of ${names.join(', ')}${more}; make another user a Leader first, or give --force.`,
  );
};

const throwOnBadLines = (files: readonly BadLines[]): void => {
  if (files.some(({ lines }) => lines > 0)) throw new BadLinesError(files);
};

const storeAll = async (
  plan: BulkPlan,
  staged: readonly StagedFile[],
  { keptIndexes, progress }: Pick<ImportPorts, 'keptIndexes' | 'progress'>,
): Promise<void> => {
  const { divisions, users } = plan;
  progress.begin('Storing', divisions.created + divisions.changed + users.created + users.changed);
  const building = (built: number, total: number): void => {
    if (built === 0) progress.begin('Building indexes', total);
    progress.to(built);
  };
  if (await plan.store((rows) => progress.to(rows), { building, kept: keptIndexes })) return;
  const found: BadLines[] = [];
  for (const { recheck } of staged) found.push(await recheck());
  throwOnBadLines(found);
  throw new OperatorError('The database changed during the import; try again.');
};

/**
 * Checks and stages the files, divisions first, and then compares them with the stored rows: a process that is stopped while
 * it checks a file holds no lock.
 *
 * @throws OperatorError if a file is invalid as a whole.
 */
const stageAll = async (
  load: BulkLoad,
  { divisions, users }: ImportFiles,
  update: boolean,
  ports: ImportPorts,
): Promise<{ readonly staged: readonly StagedFile[]; readonly hashUsers: () => Promise<void> }> => {
  const { commonPasswords, hasher, hashConcurrency, hashing, progress } = ports;
  const comparisons: (() => Promise<StagedFile>)[] = [];
  if (divisions) {
    const rules = divisionRows(update);
    const stage: BulkLoad['stageDivisions'] = (rows) => load.stageDivisions(rows);
    const file = { kind: 'divisions', file: divisions, rules, update, stage } as const;
    comparisons.push(await stageFile(load, file, progress, commonPasswords));
  }
  const rules = userRows(ports, update);
  if (users) {
    const stage: BulkLoad['stageUsers'] = (rows) => load.stageUsers(rows);
    const file = { kind: 'users', file: users, rules, update, stage } as const;
    comparisons.push(await stageFile(load, file, progress, commonPasswords));
  }
  const staged: StagedFile[] = [];
  for (const compare of comparisons) staged.push(await compare());
  const passwords = staged.at(-1)?.passwords ?? 0;
  const hashUsers = async (): Promise<void> => {
    if (!users || passwords === 0) return;
    hashing(passwords);
    progress.begin('Hashing passwords', passwords);
    await load.stagePasswords(hashPasswords(users, rules, hasher, hashConcurrency, progress));
  };
  return { staged, hashUsers };
};

/**
 * Imports divisions, then users, in one transaction: all rows or none. Returns the plan, which a dry
 * run does not carry out.
 *
 * 1. Each file is checked line by line, and its rows are staged in temporary tables (`stage-file.ts`).
 * 2. The rows of an update are matched with stored ones, and the domain decides what they change (`match.ts`).
 * 3. Conflicts with other lines and stored rows are bad lines, and so is what the first step has found.
 * 4. Passwords are hashed last, so that no row is locked meanwhile.
 * 5. The rows are locked, decided again and written, unless one has changed since it was matched (`store.ts`).
 *
 * @throws BadLinesError with the bad lines of both files; OperatorError if a file is invalid as a whole, or if a division
 *   would lose its last active Leader.
 */
export const makeImportFiles =
  (ports: ImportPorts) =>
  (files: ImportFiles, { dryRun = false, force = false, update = false }: ImportOptions = {}): Promise<BulkPlan> =>
    ports.loadInBulk(OPERATOR, async (load) => {
      const { hashUsers, staged } = await stageAll(load, files, update, ports);
      throwOnBadLines(staged);
      const plan = await load.plan();
      if (!force) requireLeaders(plan.leaderless);
      if (dryRun) return plan;
      await hashUsers();
      for (const file of [files.divisions, files.users]) await file?.assertUnchanged();
      await storeAll(plan, staged, ports);
      return plan;
    });
