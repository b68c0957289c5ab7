/** What an advisory lock stands for, and the seed of its keys, which keeps users and divisions apart. */
const SEEDS = { user: 1, division: 2 } as const;

type Subject = keyof typeof SEEDS;

// The lowest bigint sets the sign bit: keys are negative, and the service's other advisory locks are positive.
const keyOf = (subject: Subject, id: string): string =>
  `uuid_hash_extended(${id}::uuid, ${SEEDS[subject]}) | (-9223372036854775807 - 1)`;

/** SQL that takes the shared advisory lock of a user or division until the transaction ends. `id` is an expression. */
export const sharedLock = (subject: Subject, id: string): string =>
  `pg_advisory_xact_lock_shared(${keyOf(subject, id)})`;

/** SQL that takes the exclusive advisory lock of a user or division until the transaction ends. `id` is an expression. */
export const exclusiveLock = (subject: Subject, id: string): string => `pg_advisory_xact_lock(${keyOf(subject, id)})`;

/**
 * Begins a statement that takes advisory locks, in the order given, before it locks rows: `text` follows and selects
 * `from queued` beside the table whose rows it locks.
 *
 * Row locks have no fair queue: a new shared lock overtakes an exclusive one that waits. Advisory locks have one
 * (docs/decisions/0016). After a wait, rows that the statement locks are read again in their latest version; all else is
 * read as it was when the statement began.
 */
export const queued = (locks: readonly string[], text: string): string =>
  `with queued as materialized (select ${locks.join(', ')}) ${text}`;
