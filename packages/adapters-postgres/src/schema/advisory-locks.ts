import { type AliasableExpression, type Expression, sql } from 'kysely';
import { db } from './tables.ts';

/** What an advisory lock stands for, and the seed of its keys, which keeps users and divisions apart. */
const KEY_SEEDS = { user: 1, division: 2 } as const;

type Subject = keyof typeof KEY_SEEDS;

// The lowest bigint sets the sign bit: keys are negative, and the service's other advisory locks are positive.
const keyOf = (subject: Subject, id: Expression<string>) =>
  sql`uuid_hash_extended(${id}::uuid, ${sql.lit(KEY_SEEDS[subject])}) | (-9223372036854775807 - 1)`;

/** Takes the shared advisory lock of a user or division until the transaction ends. */
export const sharedLock = (subject: Subject, id: Expression<string>) =>
  sql<null>`pg_advisory_xact_lock_shared(${keyOf(subject, id)})`;

/** Takes the exclusive advisory lock of a user or division until the transaction ends. */
export const exclusiveLock = (subject: Subject, id: Expression<string>) =>
  sql<null>`pg_advisory_xact_lock(${keyOf(subject, id)})`;

/**
 * Begins a statement that takes advisory locks, in the order given, before it locks rows: what follows reads from `queued`
 * beside the table whose rows it locks.
 *
 * Row locks have no fair queue: a new shared lock overtakes an exclusive one that waits. Advisory locks have one
 * (docs/decisions/0016). After a wait, rows that the statement locks are read again in their latest version; all else is
 * read as it was when the statement began.
 */
export const queued = (...locks: readonly AliasableExpression<null>[]) =>
  db.with(
    (cte) => cte('queued').materialized(),
    (queue) => queue.selectNoFrom(locks.map((lock, at) => lock.as(`lock_${at}`))),
  );
