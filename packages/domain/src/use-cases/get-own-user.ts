import { invalidToken } from '../model/errors.ts';
import type { Actor, User } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/** Reads the caller, with all fields. See contract §3. @throws DomainError like {@link authorize}. */
export const makeGetOwnUser =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor): Promise<User> => {
    authorize(actor, 'getOwnUser', {});
    const user = await users.find(actor.id);
    // The user was deleted after the token was checked.
    if (!user) throw invalidToken();
    return user;
  };
