import type { DivisionId } from '../../model/division.ts';
import type { Actor } from '../../model/user.ts';
import { authorize, can } from '../../policy/authorize.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';

/**
 * Throws if the actor may not perform the action on the division. Reads the division only for a refusal: callers who may read the
 * users of a division belong to it.
 *
 * @throws DomainError like {@link authorize}.
 */
export const authorizeDivision = async (
  divisions: DivisionRepository,
  actor: Actor,
  action: 'listDivisionUsers' | 'getDivisionStatistics',
  divisionId: DivisionId,
): Promise<void> => {
  const target = { divisionId };
  if (!can(actor, action, target)) authorize(actor, action, (await divisions.find(divisionId)) && target);
};
