import type {
  BulkFile,
  BulkLoad,
  BulkPlan,
  IndexProgress,
  LoadInBulk,
  PlannedMissing,
} from '@chapter/adapters-postgres';
import { OPERATOR, type PasswordHasher } from '@chapter/domain/ports';
import type { CsvFile } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { formatCount, listNames } from '../text/text.ts';
import { hashPasswords } from './file-passwords.ts';
import type { BadLines, Progress } from './report.ts';
import { divisionRows, type UserRowPorts, userRows } from './row-rules.ts';
import { type StagedFile, stageFile } from './stage-file.ts';

/** The ports of an import. */
export interface ImportPorts extends UserRowPorts {
  readonly loadInBulk: LoadInBulk;
  readonly hasher: PasswordHasher;
  readonly hashConcurrency: number;
  readonly progress: Progress;
  /** Called with the number of passwords before they are hashed. */
  readonly hashing: (passwords: number) => void;
  /** Called with the reason if a large import keeps the indexes, which makes it slower. */
  readonly keptIndexes: IndexProgress['kept'];
}

/** The files of an import. */
export type ImportFiles = { readonly [File in BulkFile]?: CsvFile };

/** What an import does with its files. All options are off by default. */
export interface ImportOptions {
  /** Whether rows change the stored rows that they match, by id or, without an id, by name. */
  readonly update?: boolean;
  readonly dryRun?: boolean;
  /** Whether the import may leave a division with members but without an active Leader. */
  readonly force?: boolean;
  /** What happens to stored users that no line matches. They stay as they are by default. */
  readonly missing?: 'list' | 'deactivate';
  /** Maximum number of users to deactivate because they are missing; by default half of the active ones. */
  readonly maxMissing?: number;
}

/** Thrown to roll the import back; carries the bad lines of the files. */
export class BadLinesError extends Error {
  readonly files: readonly BadLines[];
  constructor(files: readonly BadLines[]) {
    super('some lines are invalid');
    this.files = files;
  }
}

/**
 * Refuses an import that would leave divisions with members but without an active Leader. Contract §10.
 *
 * @throws OperatorError that names the divisions.
 */
const requireLeaders = (leaderless: BulkPlan['leaderless']): void => {
  if (leaderless.length === 0) return;
  const names = listNames(leaderless.map(({ name }) => name));
  throw new OperatorError(
    `The import would remove the last active Leader of ${names}; make another user a Leader first, or give --force.`,
  );
};

/**
 * Refuses an import that would deactivate too many users, because its file is probably only a part of the register.
 *
 * @throws OperatorError.
 */
const requireFewMissing = ({ active, changed }: PlannedMissing, max: number | undefined): void => {
  if (changed <= (max ?? active / 2)) return;
  const limit = max === undefined ? 'more than half of the active ones' : `more than --max-missing ${max}`;
  const users = formatCount(changed, 'user');
  throw new OperatorError(
    `The import would deactivate ${users}, ${limit}; if the file is the whole register, give --max-missing ${changed}.`,
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
  const { divisions, missing, users } = plan;
  const changed = divisions.changed + users.changed + (missing?.changed ?? 0);
  progress.begin('Storing', divisions.created + users.created + changed);
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

const stageUsersFile = (load: BulkLoad, file: CsvFile, update: boolean, ports: ImportPorts) => {
  const stage: BulkLoad['stageUsers'] = (rows) => load.stageUsers(rows);
  const staged = { kind: 'users', file, rules: userRows(ports, update), update, stage } as const;
  return stageFile(load, staged, ports.progress);
};

/**
 * Checks and stages the files, divisions first, and then compares them with the stored rows: a process that is stopped
 * while it checks a file holds no lock.
 *
 * @throws OperatorError if a file is invalid as a whole.
 */
const stageAll = async (load: BulkLoad, { divisions, users }: ImportFiles, update: boolean, ports: ImportPorts) => {
  const { hasher, hashConcurrency, hashing, progress } = ports;
  const comparisons: (() => Promise<StagedFile>)[] = [];
  if (divisions) {
    const rules = divisionRows(update);
    const stage: BulkLoad['stageDivisions'] = (rows) => load.stageDivisions(rows);
    const file = { kind: 'divisions', file: divisions, rules, update, stage } as const;
    comparisons.push(await stageFile(load, file, progress));
  }
  if (users) comparisons.push(await stageUsersFile(load, users, update, ports));
  const staged: StagedFile[] = [];
  for (const compare of comparisons) staged.push(await compare());
  const passwords = staged.at(-1)?.passwords ?? 0;
  const hashUsers = async (): Promise<void> => {
    if (!users || passwords === 0) return;
    hashing(passwords);
    progress.begin('Hashing passwords', passwords);
    await load.stagePasswords(hashPasswords(users, userRows(ports, update), hasher, hashConcurrency, progress));
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
 * 4. The domain decides the deactivation of the users that no line matches (`open-load.ts`).
 * 5. Passwords are hashed last, so that no row is locked meanwhile.
 * 6. The rows are locked, decided again and written, unless one has changed since it was matched (`store.ts`).
 *
 * @throws BadLinesError with the bad lines of both files; OperatorError if a file is invalid as a whole, if a division
 *   would lose its last active Leader, or if too many users are missing.
 */
export const makeImportFiles =
  (ports: ImportPorts) =>
  (files: ImportFiles, { dryRun = false, force = false, maxMissing, missing, update = false }: ImportOptions = {}) =>
    ports.loadInBulk(OPERATOR, async (load) => {
      const { hashUsers, staged } = await stageAll(load, files, update, ports);
      throwOnBadLines(staged);
      if (missing === 'deactivate') await load.deactivateMissing({ force });
      const plan = await load.plan();
      if (!force) requireLeaders(plan.leaderless);
      if (plan.missing) requireFewMissing(plan.missing, maxMissing);
      if (dryRun) return plan;
      await hashUsers();
      for (const file of [files.divisions, files.users]) await file?.assertUnchanged();
      await storeAll(plan, staged, ports);
      return plan;
    });

/**
 * Reads the stored users that no line of the file matches, by username, in batches. It stages the file again after the
 * import and stores nothing, so that a reader of any speed delays no import.
 *
 * @throws OperatorError if the file has changed.
 */
export const makeReadMissing =
  (ports: ImportPorts) =>
  (users: CsvFile, receive: Parameters<BulkLoad['readMissing']>[0]): Promise<void> =>
    ports.loadInBulk(OPERATOR, async (load) => {
      await stageUsersFile(load, users, true, ports);
      await users.assertUnchanged();
      ports.progress.end();
      await load.readMissing(receive);
    });
