import type { DivisionListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Division } from '../model/division.ts';
import type { Actor } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { ReadInput } from './steps/changes.ts';

/** Lists all divisions. @throws DomainError like {@link authorize}. */
export const makeListDivisions =
  ({ divisions }: { divisions: DivisionRepository }) =>
  async (actor: Actor, readInput: ReadInput<ListQuery<DivisionListField>>): Promise<Page<Division>> => {
    authorize(actor, 'listDivisions', {});
    return divisions.list(await readInput());
  };
