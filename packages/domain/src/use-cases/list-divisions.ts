import type { Actor } from '../actor.ts';
import type { Ask } from '../ask.ts';
import { authorize } from '../authorize.ts';
import type { Division } from '../division.ts';
import type { DivisionListField } from '../list-fields.ts';
import type { ListQuery, Page } from '../list-query.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';

/** Lists all divisions. @throws DomainError by {@link authorize}. */
export const makeListDivisions =
  ({ divisions }: { divisions: DivisionRepository }) =>
  async (actor: Actor, ask: Ask<ListQuery<DivisionListField>>): Promise<Page<Division>> => {
    authorize(actor, 'listDivisions', {});
    return divisions.list(await ask());
  };

/** See {@link makeListDivisions}. */
export type ListDivisionsUseCase = ReturnType<typeof makeListDivisions>;
