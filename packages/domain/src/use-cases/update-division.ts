import { DIVISION_READ_ONLY, divisionChecks } from '../fields/division-fields.ts';
import { checkFields, refuseFaults } from '../fields/field-check.ts';
import type { Division, DivisionId } from '../model/division.ts';
import { authorOf } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { ConflictLimits } from '../ports/conflict-limits.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import { decideDivisionUpdate } from '../writes/division-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import { countConflicts, type ReadInput, type SentChanges } from './steps/changes.ts';

/**
 * Changes a division; fields that are not sent stay unchanged.
 *
 * @throws DomainError like {@link authorize}; `validation_failed`, `precondition_failed`, `name_taken`, `rate_limited`.
 */
export const makeUpdateDivision =
  ({ divisions, conflictLimits }: { divisions: DivisionRepository; conflictLimits: ConflictLimits }) =>
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
