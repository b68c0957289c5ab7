import { DIVISION_READ_ONLY, divisionChecks, NEW_DIVISION_DEFAULTS } from '../../fields/division-fields.ts';
import { checkFields, refuseFaults, type SentFields } from '../../fields/field-check.ts';
import type { Division } from '../../model/division.ts';
import type { Author } from '../../model/user.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';

/**
 * Creates a division. For the operator only: no rule of the policy allows it.
 *
 * @throws DomainError `validation_failed`, `name_taken`.
 */
export const makeCreateDivision =
  ({ divisions, ids }: { divisions: DivisionRepository; ids: IdGenerator }) =>
  async (author: Author, sent: SentFields): Promise<Division> => {
    const rules = { readOnly: DIVISION_READ_ONLY, required: ['name'] };
    const { values, faults } = checkFields(divisionChecks, { fields: sent }, rules);
    refuseFaults(faults);
    return divisions.create(author, { ...NEW_DIVISION_DEFAULTS, id: ids.next(), name: '', ...values });
  };
