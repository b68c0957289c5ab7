import type { DivisionId } from '../model/division.ts';
import { authorOf, type Caller } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import { decideDivisionDeletion } from '../writes/division-writes.ts';

/** Deletes a division. @throws DomainError like {@link authorize}; `forbidden` if the division has users. */
export const makeDeleteDivision =
  ({ divisions }: { divisions: DivisionRepository }) =>
  async (caller: Caller, id: DivisionId): Promise<void> => {
    authorize(caller, 'deleteDivision', (await divisions.find(id)) && { divisionId: id });
    await divisions.delete(authorOf(caller), id, (locked) => decideDivisionDeletion(caller, locked));
  };
