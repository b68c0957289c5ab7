import type { Readable } from 'node:stream';
import type { Author, Division, DivisionReference, NewUser, PasswordHash, User } from '@chapter/domain/ports';

/** A division as a file gives it: without the revision, which the database assigns. */
export type BulkDivision = Omit<Division, 'revision'>;

/** A user as a file gives it. */
export interface BulkUser extends NewUser {
  /**
   * The name of the division, instead of its id or beside it. It is compared case-folded with those that divisions have
   * after the load: of a stored division that the load renames, only the new name counts.
   */
  readonly division?: string;
  /** Whether {@link BulkLoad.stagePasswords} supplies the hash later. */
  readonly passwordFollows: boolean;
}

/** The valid part of a row of a file. Incomplete rows are never stored, but duplicates of their values are reported. */
export interface BulkRow<T> {
  /** The line of the file on which the row begins; the header row is line 1. */
  readonly line: number;
  readonly complete: boolean;
  /** The values of the file, with the defaults of a new row for those that it does not give. */
  readonly values: Partial<T>;
  /** The columns of the file in which the row has no value; none by default. */
  readonly blank?: readonly string[];
}

/** The hash of a row of the users' file that was staged without one. */
export interface BulkPassword {
  readonly line: number;
  readonly passwordHash: PasswordHash;
}

/**
 * Why the database refuses a value of a line:
 *
 * - `repeated`: an earlier line has the same value.
 * - `taken`: a stored row has the same value.
 * - `unknown`: neither a stored row nor the files have a row with this id or, for a division, with this name.
 * - `different`: the name is not that of the division with the given id.
 * - `required`: the value is missing, and a new row needs it.
 * - `empty`: the value is missing, and the field of a stored row cannot be emptied.
 */
export type ConflictReason = 'repeated' | 'taken' | 'unknown' | 'different' | 'required' | 'empty';

/** A value of a line that the database refuses. */
export interface BulkConflict {
  readonly line: number;
  readonly field: keyof BulkUser | keyof BulkDivision;
  readonly reason: ConflictReason;
  /** The earlier line if the value is repeated, otherwise null. */
  readonly firstLine: number | null;
  /** The case-folded name if the value names a division, otherwise null. */
  readonly divisionKey: string | null;
}

/** The conflicts on the first lines that have any, ordered by line, and the number of all invalid lines. */
export interface BulkFindings {
  readonly conflicts: readonly BulkConflict[];
  /** The number of lines with a conflict or an incomplete row, each counted once. */
  readonly badLines: number;
}

/** The two files of a load. */
export type BulkFile = 'divisions' | 'users';

/** A number for each file. */
export type BulkCounts = Readonly<Record<BulkFile, number>>;

/** The numbers of rows of a file by what the plan does with them. */
export interface PlannedRows {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** A stored user that no line of the file of users matches. */
export interface MissingUser extends Pick<User, 'username' | 'firstName' | 'lastName' | 'isActive'> {
  /** The name of the division. */
  readonly division: string;
}

/** What a load does with the stored users that no line matches. */
export interface PlannedMissing {
  /** Number of active users that are deactivated. */
  readonly changed: number;
  /** The Leaders who stay active because their division would have no active Leader, by username. */
  readonly kept: readonly Pick<MissingUser, 'username' | 'division'>[];
  /** Number of active users before the load, missing or not. */
  readonly active: number;
}

/** Receives the progress of the indexes: a load drops and rebuilds those of tables that it more than doubles. */
export interface IndexProgress {
  /** Called with 0 before the first index is rebuilt, then after each one. */
  readonly building: (built: number, total: number) => void;
  /** Called with the reason if the indexes stay in place, which makes the load slower. */
  readonly kept: (reason: 'not owner' | 'locked') => void;
}

/** What a load will do, with the function that does it. */
export interface BulkPlan extends Readonly<Record<BulkFile, PlannedRows>> {
  /** The divisions that would lose their last active Leader although they keep members, ordered by name. */
  readonly leaderless: readonly DivisionReference[];
  /** Null without {@link BulkLoad.deactivateMissing}. */
  readonly missing: PlannedMissing | null;

  /**
   * Creates and changes the planned rows, divisions first, each with an audit entry. `progress` gets the number of rows
   * stored so far. Returns the number of stored rows of the files. Returns null and stores nothing if another
   * transaction has taken a name or changed a planned row in the meantime; `findings` then reports a taken name. Tables
   * that the load more than doubles are locked until it ends.
   */
  store(progress: (rows: number) => void, indexes?: IndexProgress): Promise<BulkCounts | null>;
}

/** The names that a user will have after the load. */
export type PlannedNames = Pick<User, 'username' | 'email'>;

/** One load of many divisions and users, in one transaction. Rows wait in temporary tables until all are checked. */
export interface BulkLoad {
  stageDivisions(rows: AsyncIterable<BulkRow<BulkDivision>>): Promise<void>;

  stageUsers(rows: AsyncIterable<BulkRow<BulkUser>>): Promise<void>;

  /** Supplies the hashes of staged users, last, because hashing is slow and the files may be invalid. */
  stagePasswords(passwords: AsyncIterable<BulkPassword>): Promise<void>;

  /** Returns the names that divisions have after the load, at most 10,000. */
  divisionNames(): Promise<readonly string[]>;

  /**
   * Matches the staged rows of a file with stored ones: by id, or by name if the row has no id. Matched rows will
   * change their stored row, other rows are new; without this call, all rows are new. Fields whose column is not among
   * the `columns` of the file keep the stored value.
   */
  match(file: BulkFile, columns: ReadonlySet<string>): Promise<void>;

  /** Returns, by line, the names that the users on these lines will have after the load. Leaves out incomplete rows. */
  plannedNames(lines: readonly number[]): Promise<ReadonlyMap<number, PlannedNames>>;

  /** Marks staged users as incomplete. */
  rejectUsers(lines: readonly number[]): Promise<void>;

  /** Finds conflicts within a file and with the database. Returns those of the first `maxLines` lines that have any. */
  findings(file: BulkFile, maxLines: number): Promise<BulkFindings>;

  /**
   * Plans to deactivate the active users that no line matches, as stored now; later ones are not missing. Unless `force`, an absent
   * Leader stays active if the division would otherwise lose its last one. The rows must have been matched.
   */
  deactivateMissing(options: { readonly force: boolean }): Promise<void>;

  /** Reads the stored users that no staged line matches, ordered by username, in batches. */
  readMissing(receive: (users: readonly MissingUser[]) => Promise<void>): Promise<void>;

  /** Plans the staged rows, which have neither conflicts nor incomplete rows. */
  plan(): Promise<BulkPlan>;
}

/**
 * Opens a load and runs `work`. Commits when `work` resolves after storing a plan. Otherwise rolls back, so that a load
 * that only plans writes nothing.
 *
 * @throws DomainError `unavailable`.
 */
export type LoadInBulk = <T>(author: Author, work: (load: BulkLoad) => Promise<T>) => Promise<T>;

/** Consumes the bytes of one exported file and resolves after the last one. */
export type Sink = (bytes: Readable) => Promise<void>;

/**
 * Streams all divisions, all users or both as CSV (RFC 4180, UTF-8) with a header row, ordered by id, from one snapshot
 * of the database. Before the first byte it writes one audit entry. Returns the number of rows of each file.
 *
 * @throws DomainError `unavailable`; errors of a sink.
 */
export type ExportInBulk = (
  author: Author,
  sinks: Readonly<Partial<Record<BulkFile, Sink>>>,
  options: { readonly withHashes: boolean },
) => Promise<Partial<BulkCounts>>;
