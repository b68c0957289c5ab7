import { actorOf, type LockedUser, pick, USER_FIELDS, type User } from '@chapter/domain/ports';
import { aUser } from '@chapter/domain/testing';

/** Returns a locked user who has a password and is not the last Leader, with an author without rights. */
export const lockedUser = (values: Partial<LockedUser> = {}): LockedUser => {
  const user = values.user ?? aUser();
  return {
    actor: null,
    passwordHash: 'old hash',
    division: user.division,
    isLastLeader: false,
    leadsOthersAlone: false,
    ...values,
    // Only the fields of a stored user.
    user: pick(user, [...USER_FIELDS, 'revision']),
  };
};

/** Returns a locked user whose author is the given user. */
export const lockedBy = (author: User, values: Partial<LockedUser> = {}): LockedUser =>
  lockedUser({ ...values, actor: actorOf(author) });
