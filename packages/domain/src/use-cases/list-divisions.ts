import type { ExportQuery } from '../lists/export-query.ts';
import type { DivisionListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Division } from '../model/division.ts';
import { notFound } from '../model/errors.ts';
import { type Actor, authorOf } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { ListExports, OpenExport } from '../ports/list-exports.ts';
import type { ReadInput } from './steps/changes.ts';

/** Lists all divisions. `export` does the same for the whole list. @throws DomainError like {@link authorize}. */
export const makeListDivisions = ({
  divisions,
  listExports,
}: {
  divisions: DivisionRepository;
  listExports: ListExports;
}) => {
  const list = async (actor: Actor, readInput: ReadInput<ListQuery<DivisionListField>>): Promise<Page<Division>> => {
    authorize(actor, 'listDivisions', {});
    return divisions.list(await readInput());
  };
  const exportAll = async (
    actor: Actor,
    readInput: ReadInput<ExportQuery<DivisionListField>>,
  ): Promise<OpenExport<Division>> => {
    authorize(actor, 'listDivisions', {});
    const { divisionId } = actor;
    // Each stored user has a division. Without one, the audit entry could not be written.
    if (divisionId === null) throw notFound();
    const query = await readInput();
    return () => listExports.divisions(authorOf(actor), divisionId, query);
  };
  return Object.assign(list, { export: exportAll });
};
