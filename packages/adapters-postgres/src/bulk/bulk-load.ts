import type { Author, Division, NewUser, PasswordHash } from '@chapter/domain';
import type { divisionMapping } from '../schema/division-mapping.ts';
import type { UniqueField } from '../schema/mapping.ts';
import type { userMapping } from '../schema/user-mapping.ts';

/** A division as a file gives it, complete but for what the database counts. */
export type BulkDivision = Omit<Division, 'revision'>;

/** A user as a file gives it. */
export interface BulkUser extends NewUser {
  /** Whether a hash comes later, by {@link BulkLoad.stagePasswords}. */
  readonly passwordFollows: boolean;
}

/**
 * A row of a file as far as it is in order. One that is not complete is never stored, but its values count where
 * others are looked for that repeat them.
 */
export interface BulkRow<T> {
  /** The line of the file that it begins in; the header is line 1. */
  readonly line: number;
  readonly complete: boolean;
  readonly values: Partial<T>;
}

/** A hash that a row of the users' file goes without. */
export interface BulkPassword {
  readonly line: number;
  readonly passwordHash: PasswordHash;
}

/** A value that a line may not have, for others have it or, of `divisionId`, nobody has it. */
export interface BulkConflict {
  readonly line: number;
  readonly field: UniqueField<typeof userMapping> | UniqueField<typeof divisionMapping> | 'divisionId';
  /** The earlier line that has the value; null where it is the database that decides. */
  readonly firstLine: number | null;
}

/** The conflicts in the first lines that have any, in the order of the lines, and how many lines are not in order. */
export interface BulkFindings {
  readonly conflicts: readonly BulkConflict[];
  /** Lines with a conflict and lines that are not complete, each counted once. */
  readonly badLines: number;
}

/** The two files of a load. */
export type BulkFile = 'divisions' | 'users';

/** How many rows were stored. */
export type BulkCounts = Readonly<Record<BulkFile, number>>;

/** Is told what a store does with the indexes of tables that it more than doubles. */
export interface IndexProgress {
  /** Is called with 0 before the indexes are built again, then after each one. */
  readonly building: (built: number, total: number) => void;
  /** Is called if the indexes stay in place, which makes the store slower, and why. */
  readonly kept: (reason: 'not owner' | 'locked') => void;
}

/** One load of many divisions and users, in one transaction. Rows wait in temporary tables until all is known of them. */
export interface BulkLoad {
  stageDivisions(rows: AsyncIterable<BulkRow<BulkDivision>>): Promise<void>;

  stageUsers(rows: AsyncIterable<BulkRow<BulkUser>>): Promise<void>;

  /** Completes users that were staged, whose passwords are hashed when all else is known to be in order. */
  stagePasswords(passwords: AsyncIterable<BulkPassword>): Promise<void>;

  /** Looks for conflicts within a file, and with the database as it is now. At most `most` lines are told. */
  findings(file: BulkFile, most: number): Promise<BulkFindings>;

  /**
   * Stores the staged rows, divisions first, each with its entry in the audit trail, and calls `progress` with the number
   * of rows stored so far. Returns null if another transaction has taken a name since the findings: nothing is stored
   * then, and new findings show the conflict. Tables that the load more than doubles are locked until it ends.
   */
  store(progress: (rows: number) => void, indexes?: IndexProgress): Promise<BulkCounts | null>;
}

/**
 * Opens a load, and commits it when `work` resolves; what `work` throws undoes all of it.
 *
 * @throws DomainError `unavailable`.
 */
export type LoadInBulk = <T>(author: Author, work: (load: BulkLoad) => Promise<T>) => Promise<T>;
