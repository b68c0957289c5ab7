import { DIVISION_READ_ONLY, divisionChecks, NEW_DIVISION_DEFAULTS } from '../fields/division-fields.ts';
import { checkFields, refuseFaults, type SentRequest } from '../fields/field-check.ts';
import type { DivisionListField, DivisionUserListField } from '../lists/list-fields.ts';
import type { ExportQuery, ListQuery } from '../lists/list-query.ts';
import type { Division, DivisionId } from '../model/division.ts';
import { notFound } from '../model/errors.ts';
import { type Actor, authorOf, type Caller } from '../model/user.ts';
import { authorize, can } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import { decideDivisionDeletion, decideDivisionUpdate } from '../writes/division-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import { countConflicts, type ReadInput, type SentChanges } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';

/**
 * Throws if the actor may not perform the action on the division. Reads the division only for a refusal: callers who
 * may read the users of a division belong to it.
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

/** Reads a division. @throws DomainError like {@link authorize}. */
export const makeGetDivision =
  ({ divisions }: Pick<Ports, 'divisions'>) =>
  async (pending: PendingCaller<Actor>, id: DivisionId): Promise<Division> => {
    const [actor, division] = await callerAndTarget(pending, divisions.find(id));
    authorize(actor, 'getDivision', division && { divisionId: division.id });
    if (!division) throw notFound();
    return division;
  };

const authorizeList = (actor: Actor | null): void => authorize(actor, 'listDivisions', {});

/** Lists all divisions. `export` does the same for the whole list. @throws DomainError like {@link authorize}. */
export const makeListDivisions = ({ divisions, listExports }: Pick<Ports, 'divisions' | 'listExports'>) => {
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

/** Lists the users of a division. `export` does the same for the whole list. @throws DomainError like `authorize`. */
export const makeListDivisionUsers = ({
  users,
  divisions,
  listExports,
}: Pick<Ports, 'users' | 'divisions' | 'listExports'>) => {
  const authorizeList = (actor: Actor, divisionId: DivisionId): Promise<void> =>
    authorizeDivision(divisions, actor, 'listDivisionUsers', divisionId);
  const list = async (actor: Actor, divisionId: DivisionId, readInput: ReadInput<ListQuery<DivisionUserListField>>) => {
    await authorizeList(actor, divisionId);
    return users.listReferences(divisionId, await readInput());
  };
  const exportAll = async (
    actor: Actor,
    divisionId: DivisionId,
    readInput: ReadInput<ExportQuery<DivisionUserListField>>,
  ) => {
    await authorizeList(actor, divisionId);
    const query = await readInput();
    const permit = (present: Actor | null) => authorize(present, 'listDivisionUsers', { divisionId });
    return () => listExports.references(authorOf(actor), divisionId, query, permit);
  };
  return Object.assign(list, { export: exportAll });
};

/** Creates a division. @throws DomainError like {@link authorize}; `validation_failed`, `name_taken`. */
export const makeCreateDivision =
  ({ divisions, ids }: Pick<Ports, 'divisions' | 'ids'>) =>
  async (caller: Caller, readInput: ReadInput<SentRequest>): Promise<Division> => {
    authorize(caller, 'createDivision', {});
    const rules = { readOnly: DIVISION_READ_ONLY, required: ['name'] };
    const { values, faults } = checkFields(divisionChecks, await readInput(), rules);
    refuseFaults(faults);
    return divisions.create(authorOf(caller), { ...NEW_DIVISION_DEFAULTS, id: ids.next(), name: '', ...values });
  };

/**
 * Changes a division; fields that are not sent stay unchanged.
 *
 * @throws DomainError like {@link authorize}; `validation_failed`, `precondition_failed`, `name_taken`, `rate_limited`.
 */
export const makeUpdateDivision =
  ({ divisions, conflictLimits }: Pick<Ports, 'divisions' | 'conflictLimits'>) =>
  async (pending: PendingCaller, id: DivisionId, readInput: ReadInput<SentChanges>): Promise<Division> => {
    const [caller, found] = await callerAndTarget(pending, divisions.find(id));
    authorize(caller, 'updateDivision', found && { divisionId: id });
    const sent = await readInput();
    const { values, faults } = checkFields(divisionChecks, sent, { readOnly: DIVISION_READ_ONLY });
    refuseFaults(faults);
    const update = { values, revisions: sent.revisions };
    return countConflicts(conflictLimits, caller, () =>
      divisions.update(authorOf(caller), id, (locked) => decideDivisionUpdate(caller, locked, update)),
    );
  };

/** Deletes a division. @throws DomainError like {@link authorize}; `forbidden` if the division has users. */
export const makeDeleteDivision =
  ({ divisions }: Pick<Ports, 'divisions'>) =>
  async (caller: Caller, id: DivisionId): Promise<void> => {
    authorize(caller, 'deleteDivision', (await divisions.find(id)) && { divisionId: id });
    await divisions.delete(authorOf(caller), id, (locked) => decideDivisionDeletion(caller, locked));
  };
