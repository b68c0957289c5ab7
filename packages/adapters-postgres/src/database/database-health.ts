/** What a database can do for this instance at present. */
export interface DatabaseHealth {
  /** Whether it is a primary whose schema is no older than this program. */
  readonly reads: boolean;
  /** Whether it can be read, is not read-only, and has refused no write lately because it was read-only or full. */
  readonly writes: boolean;
  /** Milliseconds by which the database's clock is ahead of the instance's; negative where it is behind. */
  readonly clockDifferenceMs: number;
}
