/** Milliseconds after which a check of the database has failed, including the wait for a connection. */
export const HEALTH_CHECK_TIMEOUT_MS = 2000;

/** The state of the database, from the point of view of this instance. See contract §8. */
export interface DatabaseHealth {
  /** Whether it is a primary with all migrations of this program. */
  readonly reads: boolean;
  /** Whether `reads` holds, the database is not read-only, and it has not recently refused a write. */
  readonly writes: boolean;
  /** Milliseconds by which the database's clock is ahead of the instance's; negative if it is behind. */
  readonly clockDifferenceMs: number;
}
