import type { Actor } from '../actor.ts';
import { authorize } from '../authorize.ts';
import { notFound } from '../errors.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { asTarget } from '../targets.ts';
import type { User, UserId } from '../user.ts';

/** Reads a user. @throws DomainError by {@link authorize}. */
export const makeGetUser =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor, id: UserId): Promise<User> => {
    const user = await users.find(id);
    authorize(actor, 'getUser', user && asTarget(user));
    if (!user) throw notFound();
    return user;
  };

/** See {@link makeGetUser}. */
export type GetUserUseCase = ReturnType<typeof makeGetUser>;
