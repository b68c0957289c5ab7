import type { DivisionUserListField } from '../lists/list-fields.ts';
import type { ExportQuery, ListQuery } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import { type Actor, authorOf } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { ListExports } from '../ports/list-exports.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { authorizeDivision } from './steps/authorize-division.ts';
import type { ReadInput } from './steps/changes.ts';

interface DivisionUserPorts {
  readonly users: UserRepository;
  readonly divisions: DivisionRepository;
  readonly listExports: ListExports;
}

/** Lists the users of a division. `export` does the same for the whole list. @throws DomainError like `authorize`. */
export const makeListDivisionUsers = ({ users, divisions, listExports }: DivisionUserPorts) => {
  const authorizeList = (actor: Actor, divisionId: DivisionId): Promise<void> =>
    authorizeDivision(divisions, actor, 'listDivisionUsers', divisionId);
  const list = async (actor: Actor, divisionId: DivisionId, readInput: ReadInput<ListQuery<DivisionUserListField>>) => {
    await authorizeList(actor, divisionId);
    return users.listReferences(divisionId, await readInput());
  };
  const exportAll = async (
    actor: Actor,
    divisionId: DivisionId,
    readInput: ReadInput<ExportQuery<DivisionUserListField>>,
  ) => {
    await authorizeList(actor, divisionId);
    const query = await readInput();
    const permit = (present: Actor | null) => authorize(present, 'listDivisionUsers', { divisionId });
    return () => listExports.references(authorOf(actor), divisionId, query, permit);
  };
  return Object.assign(list, { export: exportAll });
};
