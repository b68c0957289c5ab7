import type { ListQuery, Operator } from '@chapter/domain';
import { TRIGRAM } from './conditions.ts';
import type { Indexes } from './lists.ts';

const POINTS: ReadonlySet<Operator> = new Set(['eq', 'in', 'istartswith']);

/** Whether one row at most meets the filters. */
export const meetsOne = <Field extends string>({ unique }: Indexes<Field>, { filters }: ListQuery<Field>): boolean =>
  filters.some(({ field, operator }) => operator === 'eq' && unique.includes(field));

/**
 * Whether an index leads to the rows that meet the conditions, which are few as a rule, while the planner is prone to
 * expect many: of a rare value it knows the average alone, and of several words not that they exclude each other.
 */
export const meetsFew = <Field extends string>(
  { ordered, unique }: Indexes<Field>,
  { filters, words }: ListQuery<Field>,
): boolean =>
  words.filter((word) => TRIGRAM.test(word)).length > 1 ||
  filters.some(({ field, operator }) => POINTS.has(operator) && [...ordered, ...unique].includes(field));
