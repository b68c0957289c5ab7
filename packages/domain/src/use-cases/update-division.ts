import { DIVISION_READ_ONLY, divisionChecks } from '../fields/division-fields.ts';
import { checkFields, refuseFaults } from '../fields/field-check.ts';
import type { Division, DivisionId } from '../model/division.ts';
import { type Actor, authorOf } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { ConflictLimits } from '../ports/conflict-limits.ts';
import type { DivisionRepository, LockedDivision } from '../ports/division-repository.ts';
import { countConflicts, type ReadInput, requireRevision, type SentChanges } from './steps/changes.ts';

/**
 * Changes a division; fields that are not sent stay unchanged.
 *
 * @throws DomainError like {@link authorize}; `validation_failed`, `precondition_failed`, `name_taken`, `rate_limited`.
 */
export const makeUpdateDivision =
  ({ divisions, conflictLimits }: { divisions: DivisionRepository; conflictLimits: ConflictLimits }) =>
  async (actor: Actor, id: DivisionId, readInput: ReadInput<SentChanges>): Promise<Division> => {
    const target = { divisionId: id };
    authorize(actor, 'updateDivision', (await divisions.find(id)) && target);
    const { fields, faults: found = [], revisions } = await readInput();
    const { values, faults } = checkFields(divisionChecks, fields, { readOnly: DIVISION_READ_ONLY, found });
    refuseFaults(faults);
    const change = ({ actor: present, division }: LockedDivision): Division => {
      authorize(present, 'updateDivision', target);
      requireRevision(division.revision, revisions);
      return { ...division, ...values };
    };
    return countConflicts(conflictLimits, actor, () => divisions.update(authorOf(actor), id, change));
  };
