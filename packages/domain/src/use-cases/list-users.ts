import type { UserListField } from '../lists/list-fields.ts';
import type { ExportQuery, ListQuery } from '../lists/list-query.ts';
import { type Actor, authorOf } from '../model/user.ts';
import { authorize, ownDivision } from '../policy/authorize.ts';
import type { ListExports } from '../ports/list-exports.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import type { ReadInput } from './steps/changes.ts';

/**
 * Lists the users of the caller's own division; no filter widens it. `export` does the same for the whole list.
 *
 * @throws DomainError like `authorize`.
 */
export const makeListUsers = ({ users, listExports }: { users: UserRepository; listExports: ListExports }) => {
  const list = async (actor: Actor, readInput: ReadInput<ListQuery<UserListField>>) => {
    const divisionId = ownDivision(actor, 'listUsers');
    return users.list(divisionId, await readInput());
  };
  const exportAll = async (actor: Actor, readInput: ReadInput<ExportQuery<UserListField>>) => {
    const divisionId = ownDivision(actor, 'listUsers');
    const query = await readInput();
    const permit = (present: Actor | null) => authorize(present, 'listUsers', { divisionId });
    return () => listExports.users(authorOf(actor), divisionId, query, permit);
  };
  return Object.assign(list, { export: exportAll });
};
