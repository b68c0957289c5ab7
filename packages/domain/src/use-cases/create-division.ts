import { DIVISION_READ_ONLY, divisionChecks, NEW_DIVISION_DEFAULTS } from '../fields/division-fields.ts';
import { checkFields, refuseFaults, type SentRequest } from '../fields/field-check.ts';
import type { Division } from '../model/division.ts';
import { authorOf, type Caller } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { ReadInput } from './steps/changes.ts';

/** Creates a division. @throws DomainError like {@link authorize}; `validation_failed`, `name_taken`. */
export const makeCreateDivision =
  ({ divisions, ids }: { divisions: DivisionRepository; ids: IdGenerator }) =>
  async (caller: Caller, readInput: ReadInput<SentRequest>): Promise<Division> => {
    authorize(caller, 'createDivision', {});
    const rules = { readOnly: DIVISION_READ_ONLY, required: ['name'] };
    const { values, faults } = checkFields(divisionChecks, await readInput(), rules);
    refuseFaults(faults);
    return divisions.create(authorOf(caller), { ...NEW_DIVISION_DEFAULTS, id: ids.next(), name: '', ...values });
  };
