import type { Author, Division, NewUser, PasswordHash } from '@chapter/domain';
import type { divisionMapping } from '../schema/division-mapping.ts';
import type { UniqueField } from '../schema/mapping.ts';
import type { userMapping } from '../schema/user-mapping.ts';

/** A division as a file gives it: without the revision, which the database assigns. */
export type BulkDivision = Omit<Division, 'revision'>;

/** A user as a file gives it. */
export interface BulkUser extends NewUser {
  /** Whether {@link BulkLoad.stagePasswords} supplies the hash later. */
  readonly passwordFollows: boolean;
}

/** The valid part of a row of a file. Incomplete rows are never stored, but duplicates of their values are reported. */
export interface BulkRow<T> {
  /** The line of the file on which the row begins; the header row is line 1. */
  readonly line: number;
  readonly complete: boolean;
  readonly values: Partial<T>;
}

/** The hash of a row of the users' file that was staged without one. */
export interface BulkPassword {
  readonly line: number;
  readonly passwordHash: PasswordHash;
}

/** A value that a line must not have: another row has it, or, for `divisionId`, no division has it. */
export interface BulkConflict {
  readonly line: number;
  readonly field: UniqueField<typeof userMapping> | UniqueField<typeof divisionMapping> | 'divisionId';
  /** The earlier line with the same value; null if the conflict is with the database. */
  readonly firstLine: number | null;
}

/** The conflicts on the first lines that have any, ordered by line, and the number of all invalid lines. */
export interface BulkFindings {
  readonly conflicts: readonly BulkConflict[];
  /** The number of lines with a conflict or an incomplete row, each counted once. */
  readonly badLines: number;
}

/** The two files of a load. */
export type BulkFile = 'divisions' | 'users';

/** How many rows were stored. */
export type BulkCounts = Readonly<Record<BulkFile, number>>;

/** Receives progress while the indexes of tables that the load more than doubles are dropped and rebuilt. */
export interface IndexProgress {
  /** Called with 0 before the first index is rebuilt, then after each one. */
  readonly building: (built: number, total: number) => void;
  /** Called with the reason if the indexes stay in place, which makes the load slower. */
  readonly kept: (reason: 'not owner' | 'locked') => void;
}

/** One load of many divisions and users, in one transaction. Rows wait in temporary tables until all are checked. */
export interface BulkLoad {
  stageDivisions(rows: AsyncIterable<BulkRow<BulkDivision>>): Promise<void>;

  stageUsers(rows: AsyncIterable<BulkRow<BulkUser>>): Promise<void>;

  /** Supplies the hashes of staged users. Passwords are hashed last, because hashing is slow and the files may be invalid. */
  stagePasswords(passwords: AsyncIterable<BulkPassword>): Promise<void>;

  /** Finds conflicts within a file and with the database. Returns those of the first `maxLines` lines that have any. */
  findings(file: BulkFile, maxLines: number): Promise<BulkFindings>;

  /**
   * Stores the staged rows, divisions first, each with an audit entry. `progress` gets the number of rows stored so far.
   * Returns null and stores nothing if another transaction has taken a name since the findings; new findings show the
   * conflict. Tables that the load more than doubles are locked until it ends.
   */
  store(progress: (rows: number) => void, indexes?: IndexProgress): Promise<BulkCounts | null>;
}

/**
 * Opens a load and runs `work`. Commits when `work` resolves, and rolls back when it throws.
 *
 * @throws DomainError `unavailable`.
 */
export type LoadInBulk = <T>(author: Author, work: (load: BulkLoad) => Promise<T>) => Promise<T>;
