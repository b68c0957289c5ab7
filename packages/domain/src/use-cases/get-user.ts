import type { Actor, User, UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';

/** Reads a user. @throws DomainError like {@link authorize}. */
export const makeGetUser =
  ({ users }: { users: UserRepository }) =>
  async (pending: PendingCaller<Actor>, id: UserId): Promise<User> => {
    const [actor, found] = await callerAndTarget(pending, users.find(id));
    return authorizedUser(actor, 'getUser', found);
  };
