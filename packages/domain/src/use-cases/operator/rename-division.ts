import { divisionChecks } from '../../fields/division-fields.ts';
import { checkFields, refuseFaults } from '../../fields/field-check.ts';
import type { Division, DivisionId } from '../../model/division.ts';
import type { Author } from '../../model/user.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import { decideDivisionSetting } from '../../writes/division-writes.ts';

/**
 * Renames any division. For the operator only.
 *
 * @throws DomainError `not_found`, `validation_failed`, `name_taken`.
 */
export const makeRenameDivision =
  ({ divisions }: { divisions: DivisionRepository }) =>
  async (author: Author, id: DivisionId, name: string): Promise<Division> => {
    const { values, faults } = checkFields({ name: divisionChecks.name }, { fields: { name } });
    refuseFaults(faults);
    return divisions.update(author, id, (locked) => decideDivisionSetting(locked, values));
  };
