import type { Actor, User, UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/** Reads a user. @throws DomainError like {@link authorize}. */
export const makeGetUser =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor, id: UserId): Promise<User> =>
    authorizedUser(actor, 'getUser', await users.find(id));
