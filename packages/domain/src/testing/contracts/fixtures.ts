import { type DomainErrorCode, forbidden } from '../../model/errors.ts';
import { type Author, authorOf, OPERATOR, type User } from '../../model/user.ts';
import type { WrittenUser } from '../../ports/user-repository.ts';
import type { LockedUser } from '../../writes/user-writes.ts';
import type { World } from '../in-memory/world.ts';
import { expectEqual } from './expect.ts';

/** A permission for everything. */
export const allow = (): void => {};

/** Refuses everything. @throws DomainError `forbidden`. */
export const refuse = (): never => {
  throw forbidden('not allowed');
};

/** Returns a user as author. */
export const by = (user: User, requestId: string | null = null): Author => ({
  ...authorOf({ ...user, divisionId: null }),
  requestId,
});

/** Returns the newest audit entries about users or by them. */
export const entriesOf = ({ audit }: Pick<World, 'audit'>, ...users: readonly Pick<User, 'id'>[]) =>
  audit.list({ userIds: users.map(({ id }) => id), limit: 100 });

/** Returns what a write locks, by default of the operator. Writes nothing. */
export const lockedBy = async (
  { users }: World,
  target: WrittenUser,
  author: Author = OPERATOR,
): Promise<Partial<LockedUser>> => {
  let locked: Partial<LockedUser> = {};
  await users.write(author, target, (found) => {
    locked = found;
    return 'unchanged';
  });
  return locked;
};

/** Expects that a user wrote nothing in the division after a demotion that was raced with these writes. */
export const expectNoneAfterDemotion = async (
  { audit }: World,
  { division, id }: User,
  { refused, values }: { readonly refused: readonly DomainErrorCode[]; readonly values: readonly unknown[] },
): Promise<void> => {
  for (const code of refused) expectEqual(code, 'forbidden');
  // The audit trail is written in the order in which the transactions ran.
  const entries = (await audit.list({ divisionId: division.id, limit: 50 })).toReversed();
  const demoted = entries.findIndex(({ action, targetId }) => action === 'updateUser' && targetId === id);
  const [before, after] = [entries.slice(0, demoted), entries.slice(demoted + 1)].map(
    (written) => written.filter(({ authorId }) => authorId === id).length,
  );
  expectEqual([before, after], [values.length - 1, 0], 'the number of writes before and after the demotion');
};

/** The seconds of an hour. */
export const HOUR_SECONDS = 60 * 60;

/** A network from which users log in. */
export const HOME = '192.0.2.0/24';
