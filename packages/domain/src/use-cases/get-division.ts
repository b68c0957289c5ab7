import type { Division, DivisionId } from '../model/division.ts';
import { notFound } from '../model/errors.ts';
import type { Actor } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';

/** Reads a division. @throws DomainError like {@link authorize}. */
export const makeGetDivision =
  ({ divisions }: { divisions: DivisionRepository }) =>
  async (pending: PendingCaller<Actor>, id: DivisionId): Promise<Division> => {
    const [actor, division] = await callerAndTarget(pending, divisions.find(id));
    authorize(actor, 'getDivision', division && { divisionId: division.id });
    if (!division) throw notFound();
    return division;
  };
