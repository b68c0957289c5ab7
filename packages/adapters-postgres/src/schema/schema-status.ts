/** How the schema of a database compares with this program; `newer` has migrations that the program does not know. */
export interface SchemaStatus {
  readonly state: 'current' | 'older' | 'newer';
  /** Names in the order in which they were run. */
  readonly applied: readonly string[];
  /** Names in the order in which they will be run. */
  readonly pending: readonly string[];
}

/** What came of giving the serving role its rights. */
export interface Grants {
  readonly role: string;
  /** The statements that were run. */
  readonly granted: readonly string[];
  /** The statements that are needed and that the owner may not run: they are left to an administrator. */
  readonly refused: readonly string[];
}

/** Changes the schema. Every change holds a lock of the database, so several instances at once migrate once. */
export interface Migrations {
  /** All names in the order of the migrations. */
  readonly names: readonly string[];
  status(): Promise<SchemaStatus>;
  /** Runs what is pending, each migration in its own transaction. Returns the names of what was run. */
  up(): Promise<readonly string[]>;
  /**
   * Goes up or down until `name` is the last migration applied; null takes everything down.
   *
   * @throws RangeError for an unknown name.
   */
  to(name: string | null): Promise<readonly string[]>;
  /**
   * Gives the role that `url` names the rights to serve, and takes all others away. Nothing when it is the owner itself.
   *
   * @throws RangeError where neither the URL nor the environment names a role.
   */
  grantTo(url: string): Promise<Grants>;
  /** Returns the statements that an administrator has to run before this role can migrate. */
  missingRights(): Promise<readonly string[]>;
}
