import { type AliasableExpression, type Expression, sql } from 'kysely';
import { db } from './tables.ts';

/** The seeds of the keys of advisory locks. Separate seeds keep users and divisions apart. */
const KEY_SEEDS = { user: 1, division: 2 } as const;

type LockedSubject = keyof typeof KEY_SEEDS;

// Setting the sign bit makes these keys negative; the service's other advisory locks have positive keys.
const keyOf = (subject: LockedSubject, id: Expression<string>) =>
  sql`uuid_hash_extended(${id}::uuid, ${sql.lit(KEY_SEEDS[subject])}) | (-9223372036854775807 - 1)`;

/** Takes the shared advisory lock of a user or division until the transaction ends. */
export const sharedLock = (subject: LockedSubject, id: Expression<string>) =>
  sql<null>`pg_advisory_xact_lock_shared(${keyOf(subject, id)})`;

/** Takes the exclusive advisory lock of a user or division until the transaction ends. */
export const exclusiveLock = (subject: LockedSubject, id: Expression<string>) =>
  sql<null>`pg_advisory_xact_lock(${keyOf(subject, id)})`;

/** Takes the shared lock unless another transaction has or awaits the exclusive one. Returns whether it did. */
export const trySharedLock = (subject: LockedSubject, id: Expression<string>) =>
  sql<boolean>`pg_try_advisory_xact_lock_shared(${keyOf(subject, id)})`;

/**
 * Begins a statement that takes advisory locks, in the given order, before it locks rows. The rest of the statement
 * selects from `queued` together with the table whose rows it locks.
 *
 * Row locks are not fair: a new shared lock overtakes a waiting exclusive one. Advisory locks are granted in order
 * (docs/decisions/0016). After a wait, locked rows are read in their latest version; everything else is read as of the
 * start of the statement.
 */
export const queued = (...locks: readonly AliasableExpression<null>[]) =>
  db.with(
    (cte) => cte('queued').materialized(),
    (queue) => queue.selectNoFrom(locks.map((lock, at) => lock.as(`lock_${at}`))),
  );
