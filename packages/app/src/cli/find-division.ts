import { type Division, type DivisionRepository, parseUuid } from '@chapter/domain';
import { OperatorError } from '../operator-error.ts';

/** The division with this id, in whatever case. @throws OperatorError where there is none. */
export const findDivision = async (divisions: DivisionRepository, named: string): Promise<Division> => {
  const id = parseUuid(named);
  const division = id === undefined ? null : await divisions.find(id);
  if (division) return division;
  throw new OperatorError(`There is no division with the id ${named}.`);
};
