import {
  completeOrder,
  type Division,
  type DivisionRepository,
  divisionRules,
  lookUpForm,
  parseUuid,
} from '@chapter/domain';
import { OperatorError } from '../errors/operator-error.ts';

const findByName = async (divisions: DivisionRepository, name: string): Promise<Division | undefined> => {
  const filters = [{ field: 'name', operator: 'eq', value: lookUpForm(name, divisionRules.name.max) }] as const;
  const order = completeOrder([{ field: 'name' as const, descending: false }]);
  const query = { filters, words: [], searched: [], order, size: 1, position: null, counted: false };
  return (await divisions.list(query)).items[0];
};

/** The division that somebody means by a name or an id, in whatever case. @throws OperatorError where there is none. */
export const findDivision = async (divisions: DivisionRepository, named: string): Promise<Division> => {
  const id = parseUuid(named);
  const division = (id && (await divisions.find(id))) || (await findByName(divisions, named));
  if (division) return division;
  throw new OperatorError(`There is no division with the name or id ${named}.`);
};
