import type { DivisionListField } from '../lists/list-fields.ts';
import type { ExportQuery, ListQuery } from '../lists/list-query.ts';
import { notFound } from '../model/errors.ts';
import { type Actor, authorOf } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { ListExports } from '../ports/list-exports.ts';
import type { ReadInput } from './steps/changes.ts';

const authorizeList = (actor: Actor | null): void => authorize(actor, 'listDivisions', {});

/** Lists all divisions. `export` does the same for the whole list. @throws DomainError like {@link authorize}. */
export const makeListDivisions = ({
  divisions,
  listExports,
}: {
  divisions: DivisionRepository;
  listExports: ListExports;
}) => {
  const list = async (actor: Actor, readInput: ReadInput<ListQuery<DivisionListField>>) => {
    authorizeList(actor);
    return divisions.list(await readInput());
  };
  const exportAll = async (actor: Actor, readInput: ReadInput<ExportQuery<DivisionListField>>) => {
    authorizeList(actor);
    const { divisionId } = actor;
    // Each stored user has a division. Without one, the audit entry could not be written.
    if (divisionId === null) throw notFound();
    const query = await readInput();
    return () => listExports.divisions(authorOf(actor), divisionId, query, authorizeList);
  };
  return Object.assign(list, { export: exportAll });
};
