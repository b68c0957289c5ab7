import type { Instant } from '../model/user.ts';

/** Tells the time. */
export interface Clock {
  now(): Instant;
}

/** Generates ids. */
export interface IdGenerator {
  /** Returns a new UUID of version 7 in lower case (RFC 9562), greater than all earlier ones of the same generator. */
  next(): string;
}

/** The public address of the server. */
export interface PublicAddress {
  /** Returns the address as text, or null while it is unknown. Never waits and never throws. */
  current(): string | null;
}

/** What takes part of a request's time: a use case, a statement, a hash of a password, or a wait for its turn. */
export type SpanKind = 'use case' | 'statement' | 'hash' | 'wait';

/** Shows what a request does and how long each part takes, as a trace. Names contain no data of requests. Contract §9. */
export interface Tracer {
  /** Runs work as a part of the current one. */
  readonly span: <T>(kind: SpanKind, name: string, work: () => Promise<T>) => Promise<T>;
  /** Notes that something happened in the current part. */
  readonly event: (name: string) => void;
}

/** Milliseconds after which a check of the database has failed, including the wait for a connection. */
export const HEALTH_CHECK_TIMEOUT_MS = 2000;

/** The accepted difference between the clocks of an instance and the database in milliseconds (contract §8). */
export const CLOCK_TOLERANCE_MS = 5000;

/**
 * A process of the database that holds locks for which transactions of the service wait. What the role of the service
 * may not see is null.
 */
export interface Blocker {
  /** The id of the process on the database server. */
  readonly pid: number;
  /** The name that its client gave. */
  readonly applicationName: string | null;
  /** What its connection does, such as `idle in transaction`. */
  readonly state: string | null;
  /** The age of its transaction. */
  readonly transactionSeconds: number | null;
  /** How long a transaction of the service has waited for a lock. */
  readonly waitSeconds: number;
}

/** The state of the database, from the point of view of this instance. See contract §8. */
export interface DatabaseHealth {
  /** Whether it is a primary with all migrations of this program. */
  readonly reads: boolean;
  /** Whether `reads` holds, the database is not read-only, and it has not recently refused a write. */
  readonly writes: boolean;
  /** Empty unless a transaction has waited for a lock for more than a second. */
  readonly blockers: readonly Blocker[];
  /** Milliseconds by which the database's clock is ahead of the instance's; negative if it is behind. */
  readonly clockDifferenceMs: number;
}

/** What a purge of expired rows did, by table. */
export interface PurgeResult {
  /** The number of deleted rows. */
  readonly deleted: Readonly<Record<string, number>>;
  /** For each table in which expired rows may remain, the reason, without values of rows. */
  readonly failures: Readonly<Record<string, string>>;
}
