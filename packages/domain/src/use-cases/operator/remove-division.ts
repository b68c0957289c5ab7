import type { DivisionId } from '../../model/division.ts';
import type { Author } from '../../model/user.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import { decideDivisionDeletion } from '../../writes/division-writes.ts';

/**
 * Deletes a division without users. For the operator only.
 *
 * @throws DomainError `not_found`, `forbidden` if the division has users.
 */
export const makeRemoveDivision =
  ({ divisions }: { divisions: DivisionRepository }) =>
  (author: Author, id: DivisionId): Promise<void> =>
    divisions.delete(author, id, decideDivisionDeletion);
