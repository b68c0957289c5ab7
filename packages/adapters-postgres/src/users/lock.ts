import { type Actor, type PasswordHash, parseUuid, type User, type UserId } from '@chapter/domain';
import { actorOf, toUser, USER_COLUMNS, USER_TABLES, type UserRow } from '../rows.ts';
import type { Transaction } from '../transaction.ts';

type LockedRow = readonly [passwordHash: PasswordHash | null, ...UserRow];

/** What is stored of a user whom nobody else can change before the transaction ends. */
interface LockedTarget {
  readonly user: User;
  readonly passwordHash: PasswordHash | null;
  /** The two numbers that the revision is made of. */
  readonly version: number;
  readonly nameVersion: number;
}

const locked = (parameter: string, strength: string): string =>
  `select u.password_hash, ${USER_COLUMNS.join(', ')} from ${USER_TABLES} where u.id = ${parameter}::uuid for ${strength} of u`;

const LOCK_ACTOR = { name: 'lock-actor', text: locked('$1', 'share') };
const LOCK_TARGET = { name: 'lock-target', text: locked('$1', 'no key update') };
const inTurn = (first: string, second: string): string =>
  `select * from (${first}) a union all select * from (${second}) b`;
// Everybody takes these locks in the order of the ids, so that nobody waits for one who waits for them.
const LOCK_ACTOR_FIRST = {
  name: 'lock-actor-and-target',
  text: inTurn(locked('$1', 'share'), locked('$2', 'no key update')),
};
const LOCK_TARGET_FIRST = {
  name: 'lock-target-and-actor',
  text: inTurn(locked('$2', 'no key update'), locked('$1', 'share')),
};

const toLocked = ([passwordHash, ...row]: LockedRow): LockedTarget => {
  const [, , version, nameVersion] = row;
  return { user: toUser(row), passwordHash, version, nameVersion };
};

/** The author's rights, which stay as they are until the transaction ends; null for the operator and for one who is gone. */
export const lockActor = async (tx: Transaction, userId: UserId | null): Promise<Actor | null> => {
  if (userId === null) return null;
  const [row] = await tx.query<LockedRow>(LOCK_ACTOR, [userId]);
  return row ? actorOf(toLocked(row).user) : null;
};

/** Locks a user for a change and the author against one. */
export const lockActorAndTarget = async (
  tx: Transaction,
  actorId: UserId | null,
  targetId: UserId,
): Promise<{ readonly actor: Actor | null; readonly target: LockedTarget | undefined }> => {
  if (parseUuid(targetId) !== targetId) return { actor: await lockActor(tx, actorId), target: undefined };
  const rows =
    actorId === null || actorId === targetId
      ? await tx.query<LockedRow>(LOCK_TARGET, [targetId])
      : await tx.query<LockedRow>(actorId < targetId ? LOCK_ACTOR_FIRST : LOCK_TARGET_FIRST, [actorId, targetId]);
  const found = rows.map(toLocked);
  const author = found.find(({ user }) => user.id === actorId);
  return { actor: author ? actorOf(author.user) : null, target: found.find(({ user }) => user.id === targetId) };
};
