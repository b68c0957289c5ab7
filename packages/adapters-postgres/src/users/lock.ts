import { type Actor, type PasswordHash, parseUuid, type UserId } from '@chapter/domain';
import { type ActorRow, toActor, USER_COLUMNS, USER_TABLES, type UserRow } from '../rows.ts';
import type { Transaction } from '../transaction.ts';

/** All that is stored of a user, keys included, for the unit of work to compare with. */
export type LockedRow = UserRow & { readonly password_hash: PasswordHash | null };

const COLUMNS = `${USER_COLUMNS}, u.username_key, u.email_key, u.first_name_key, u.last_name_key, u.password_hash`;
const locked = (parameter: string, strength: string): string =>
  `select * from (select ${COLUMNS} from ${USER_TABLES} where u.id = ${parameter} for ${strength} of u)`;

const LOCK_ACTOR = { name: 'lock-actor', text: locked('$1::uuid', 'share') + ' a' };
const LOCK_TARGET = { name: 'lock-target', text: locked('$1::uuid', 'no key update') + ' t' };
// Everybody takes these locks in the order of the ids, so that nobody waits for one who waits for them.
const LOCK_ACTOR_FIRST = {
  name: 'lock-actor-and-target',
  text: `${locked('$1::uuid', 'share')} a union all ${locked('$2::uuid', 'no key update')} t`,
};
const LOCK_TARGET_FIRST = {
  name: 'lock-target-and-actor',
  text: `${locked('$2::uuid', 'no key update')} t union all ${locked('$1::uuid', 'share')} a`,
};

/** The author's rights, which stay as they are until the transaction ends; null for the operator and for one who is gone. */
export const lockActor = async (tx: Transaction, userId: UserId | null): Promise<Actor | null> => {
  if (userId === null) return null;
  const [row] = await tx.query<ActorRow>(LOCK_ACTOR, [userId]);
  return row ? toActor(row) : null;
};

/** Locks a user for a change and the author against one. */
export const lockActorAndTarget = async (
  tx: Transaction,
  actorId: UserId | null,
  targetId: UserId,
): Promise<{ readonly actor: Actor | null; readonly target: LockedRow | undefined }> => {
  if (parseUuid(targetId) !== targetId) return { actor: await lockActor(tx, actorId), target: undefined };
  const rows =
    actorId === null || actorId === targetId
      ? await tx.query<LockedRow>(LOCK_TARGET, [targetId])
      : await tx.query<LockedRow>(actorId < targetId ? LOCK_ACTOR_FIRST : LOCK_TARGET_FIRST, [actorId, targetId]);
  const author = rows.find(({ id }) => id === actorId);
  return { actor: author ? toActor(author) : null, target: rows.find(({ id }) => id === targetId) };
};
