import type { DivisionUserListField, UserReference } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import type { Actor } from '../model/user.ts';
import { authorize, can } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import type { ReadInput } from './steps/changes.ts';

/** Lists the users of a division. @throws DomainError like `authorize`. */
export const makeListDivisionUsers =
  ({ users, divisions }: { users: UserRepository; divisions: DivisionRepository }) =>
  async (
    actor: Actor,
    divisionId: DivisionId,
    readInput: ReadInput<ListQuery<DivisionUserListField>>,
  ): Promise<Page<UserReference>> => {
    const target = { divisionId };
    // Only a refusal depends on whether the division exists: callers who may list its users belong to it.
    if (!can(actor, 'listDivisionUsers', target)) {
      authorize(actor, 'listDivisionUsers', (await divisions.find(divisionId)) && target);
    }
    return users.listReferences(divisionId, await readInput());
  };
