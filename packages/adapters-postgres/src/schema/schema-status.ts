/** How the schema of a database compares with this program; `newer` has migrations that the program does not know. */
export interface SchemaStatus {
  readonly state: 'current' | 'older' | 'newer';
  /** Names in the order in which they were run. */
  readonly applied: readonly string[];
  /** Names in the order in which they will be run. */
  readonly pending: readonly string[];
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
}
