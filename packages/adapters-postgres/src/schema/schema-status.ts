/** Compares the schema of a database with this program. A `newer` schema has migrations that the program lacks. */
export interface SchemaStatus {
  readonly state: 'current' | 'older' | 'newer';
  /** Names in the order in which they were applied. */
  readonly applied: readonly string[];
  /** Names in the order in which they will be applied. */
  readonly pending: readonly string[];
}

/** The outcome of granting the serving role its rights. */
export interface Grants {
  readonly role: string;
  readonly granted: readonly string[];
  /** The statements that are still needed, which only an administrator may run. */
  readonly refused: readonly string[];
}

/**
 * Receives the name of a migration that waits for other transactions, once per migration, and how long it waits at
 * most, in milliseconds.
 */
export type ReportWait = (migration: string, limitMs: number) => void;

/**
 * Changes the schema. Changes hold a lock of the database, so that concurrent instances migrate only once. They throw
 * DomainError `unavailable` if a long-running transaction keeps them from locking a table for ten minutes.
 */
export interface Migrations {
  readonly names: readonly string[];
  status(): Promise<SchemaStatus>;
  /**
   * Applies the pending migrations, each in its own transaction. Returns their names. After a backup was restored into
   * another cluster, also numbers the audit entries anew, which ends all positions in feeds of changes.
   */
  up(reportWait?: ReportWait): Promise<readonly string[]>;
  /** Migrates until `name` is the last applied migration; null reverts all. @throws RangeError for an unknown name. */
  to(name: string | null, reportWait?: ReportWait): Promise<readonly string[]>;
  /**
   * Grants the role in `url` the rights to serve, and revokes all others. Does nothing if the role is the owner itself.
   *
   * @throws RangeError if neither the URL nor the environment names a role.
   */
  grantTo(url: string): Promise<Grants>;
  /**
   * Stores in this role, for this database, the settings that every session must have: a pooler in transaction mode
   * keeps those of no client. Returns the statements that were run.
   */
  storeSettings(): Promise<readonly string[]>;
  /** Returns the statements that an administrator must run before this role can migrate. */
  missingRights(): Promise<readonly string[]>;
  /** Returns the statements that this role needs to serve, or an owner to migrate: they grant or revoke rights. */
  roleFaults(): Promise<readonly string[]>;
}
