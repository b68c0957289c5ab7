import { type Actor, authorOf } from '../actor.ts';
import type { Ask } from '../ask.ts';
import { authorize } from '../authorize.ts';
import { countConflicts } from '../count-conflicts.ts';
import type { Division, DivisionId } from '../division.ts';
import { DIVISION_READ_ONLY, divisionChecks } from '../division-fields.ts';
import { checkFields, refuseFaults } from '../field-check.ts';
import type { ConflictLimits } from '../ports/conflict-limits.ts';
import type { DivisionRepository, LockedDivision } from '../ports/division-repository.ts';
import { requireRevision } from '../precondition.ts';
import type { SentChanges } from '../sent-changes.ts';

/**
 * Changes a division; fields that are not sent stay as they are.
 *
 * @throws DomainError by {@link authorize}; `validation_failed`, `precondition_failed`, `name_taken`, `rate_limited`.
 */
export const makeUpdateDivision =
  ({ divisions, conflictLimits }: { divisions: DivisionRepository; conflictLimits: ConflictLimits }) =>
  async (actor: Actor, id: DivisionId, ask: Ask<SentChanges>): Promise<Division> => {
    const target = { divisionId: id };
    authorize(actor, 'updateDivision', (await divisions.find(id)) && target);
    const { fields, faults: found = [], revisions } = await ask();
    const { values, faults } = checkFields(divisionChecks, fields, { readOnly: DIVISION_READ_ONLY, found });
    refuseFaults(faults);
    const change = ({ actor: present, division }: LockedDivision): Division => {
      authorize(present, 'updateDivision', target);
      requireRevision(division.revision, revisions);
      return { ...division, ...values };
    };
    return countConflicts(conflictLimits, actor, () => divisions.update(authorOf(actor), id, change));
  };

/** See {@link makeUpdateDivision}. */
export type UpdateDivisionUseCase = ReturnType<typeof makeUpdateDivision>;
