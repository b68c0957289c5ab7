import type { Actor } from '../actor.ts';
import type { Ask } from '../ask.ts';
import { ownDivision } from '../authorize.ts';
import type { UserListField } from '../list-fields.ts';
import type { ListQuery, Page } from '../list-query.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import type { ListedUser } from '../user.ts';

/** Lists the users of the caller's own division; no filter widens it. @throws DomainError by `authorize`. */
export const makeListUsers =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor, ask: Ask<ListQuery<UserListField>>): Promise<Page<ListedUser>> => {
    const scope = ownDivision(actor, 'listUsers');
    return users.list(scope, await ask());
  };

/** See {@link makeListUsers}. */
export type ListUsersUseCase = ReturnType<typeof makeListUsers>;
