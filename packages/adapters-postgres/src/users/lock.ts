import { type Actor, type PasswordHash, parseUuid, type User, type UserId } from '@chapter/domain';
import { exclusiveLock, queued, sharedLock } from '../connection/advisory-locks.ts';
import type { Transaction } from '../connection/transaction.ts';
import { actorOf, toUser, USER_COLUMNS, type UserRow } from '../schema/rows.ts';

type LockedRow = readonly [passwordHash: PasswordHash | null, ...UserRow];

/** What is stored of a user whom nobody else can change before the transaction ends. */
interface LockedTarget {
  readonly user: User;
  readonly passwordHash: PasswordHash | null;
  /** The two numbers that the revision is made of. */
  readonly version: number;
  readonly nameVersion: number;
}

// A subquery looks the division up for the latest version of the user's row; a join would lose a user who has moved
// while the statement waited.
const COLUMNS = USER_COLUMNS.map((column) =>
  column.startsWith('d.') ? `(select ${column} from division d where d.id = u.division_id)` : column,
).join(', ');

const locked = (parameter: string, strength: string): string =>
  `select u.password_hash, ${COLUMNS} from queued, user_account u where u.id = ${parameter}::uuid for ${strength} of u`;
const inTurn = (first: string, second: string): string =>
  `select * from (${first}) a union all select * from (${second}) b`;

const ACTOR = sharedLock('user', '$1');
const LOCK_ACTOR = { name: 'lock-actor', text: queued([ACTOR], locked('$1', 'share')) };
const LOCK_TARGET = {
  name: 'lock-target',
  text: queued([exclusiveLock('user', '$1')], locked('$1', 'no key update')),
};
// All transactions lock users in the order of their ids, so that they never wait for each other in a circle.
const TARGET = exclusiveLock('user', '$2');
const LOCK_ACTOR_FIRST = {
  name: 'lock-actor-and-target',
  text: queued([ACTOR, TARGET], inTurn(locked('$1', 'share'), locked('$2', 'no key update'))),
};
const LOCK_TARGET_FIRST = {
  name: 'lock-target-and-actor',
  text: queued([TARGET, ACTOR], inTurn(locked('$2', 'no key update'), locked('$1', 'share'))),
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
