import {
  type Division,
  type DivisionRepository,
  divisionRules,
  listQuery,
  normalizeForLookup,
  parseUuid,
} from '@chapter/domain';
import { OperatorError } from '../errors/operator-error.ts';

const findByName = async (divisions: DivisionRepository, name: string): Promise<Division | undefined> => {
  const filters = [{ field: 'name', operator: 'eq', value: normalizeForLookup(name, divisionRules.name.max) }] as const;
  return (await divisions.list(listQuery({ filters, order: ['name'], size: 1 }))).items[0];
};

/** Finds a division by name or id, ignoring case. @throws OperatorError if there is none. */
export const findDivision = async (divisions: DivisionRepository, named: string): Promise<Division> => {
  const id = parseUuid(named);
  const division = (id && (await divisions.find(id))) || (await findByName(divisions, named));
  if (division) return division;
  throw new OperatorError(`There is no division with the name or id ${named}.`);
};
