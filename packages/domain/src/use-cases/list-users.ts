import type { ListedUser, UserListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Actor } from '../model/user.ts';
import { ownDivision } from '../policy/authorize.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import type { ReadInput } from './steps/changes.ts';

/** Lists the users of the caller's own division; no filter widens it. @throws DomainError like `authorize`. */
export const makeListUsers =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor, readInput: ReadInput<ListQuery<UserListField>>): Promise<Page<ListedUser>> => {
    const divisionId = ownDivision(actor, 'listUsers');
    return users.list(divisionId, await readInput());
  };
