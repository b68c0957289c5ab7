import type { Actor } from '../actor.ts';
import { authorize } from '../authorize.ts';
import type { Division, DivisionId } from '../division.ts';
import { notFound } from '../errors.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';

/** Reads a division. @throws DomainError by {@link authorize}. */
export const makeGetDivision =
  ({ divisions }: { divisions: DivisionRepository }) =>
  async (actor: Actor, id: DivisionId): Promise<Division> => {
    const division = await divisions.find(id);
    authorize(actor, 'getDivision', division && { divisionId: division.id });
    if (!division) throw notFound();
    return division;
  };

/** See {@link makeGetDivision}. */
export type GetDivisionUseCase = ReturnType<typeof makeGetDivision>;
