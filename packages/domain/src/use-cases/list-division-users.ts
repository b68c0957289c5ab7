import type { Actor } from '../actor.ts';
import type { Ask } from '../ask.ts';
import { authorize } from '../authorize.ts';
import type { DivisionId } from '../division.ts';
import { can } from '../explain.ts';
import type { DivisionUserListField } from '../list-fields.ts';
import type { ListQuery, Page } from '../list-query.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import type { User } from '../user.ts';

/** Lists the users of a division. @throws DomainError by `authorize`. */
export const makeListDivisionUsers =
  ({ users, divisions }: { users: UserRepository; divisions: DivisionRepository }) =>
  async (
    actor: Actor,
    divisionId: DivisionId,
    ask: Ask<ListQuery<DivisionUserListField>>,
  ): Promise<Page<Pick<User, DivisionUserListField>>> => {
    const target = { divisionId };
    // Only the refused need to know whether the division exists: those who may list it belong to it.
    if (!can(actor, 'listDivisionUsers', target)) {
      authorize(actor, 'listDivisionUsers', (await divisions.find(divisionId)) && target);
    }
    return users.listReferences(divisionId, await ask());
  };

/** See {@link makeListDivisionUsers}. */
export type ListDivisionUsersUseCase = ReturnType<typeof makeListDivisionUsers>;
