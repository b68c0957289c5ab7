import * as fc from 'fast-check';
import { type Filter, type ListQuery, snakeCase } from '../../packages/domain/src/index.ts';
import { type QueriedList, queriesOf } from './random-queries.ts';

/** A list of the API at a path. */
interface ListAt<Field extends string> extends QueriedList<Field> {
  readonly path: string;
  readonly hasFilters: boolean;
}

/** How a query is written: which parameters are left out, so that their defaults apply, and whether texts are in capitals. */
interface Spelling {
  readonly omitted: readonly string[];
  readonly isInCapitals: boolean;
}

const requestOf = <Field extends string>(
  { path, fields, hasFilters }: ListAt<Field>,
  { filters, words, order, size, counted }: ListQuery<Field | 'id'>,
  { omitted, isInCapitals }: Spelling,
): string => {
  const spelled = (text: string): string => (isInCapitals ? text.toUpperCase() : text);
  const valueOf = ({ field, operator, value }: Filter<Field>): string =>
    fields[field].kind === 'text' && operator !== 'isnull' ? spelled(String(value)) : String(value);
  const parameters = new URLSearchParams();
  // A list without filters has no parameter for a field. `set` drops a repeated one, which is an error.
  for (const filter of hasFilters ? (filters as readonly Filter<Field>[]) : []) {
    const name = snakeCase(filter.field);
    parameters.set(filter.operator === 'eq' ? name : `${name}__${filter.operator}`, valueOf(filter));
  }
  if (words.length > 0) parameters.set('search', spelled(words.join(' ')));
  parameters.set('ordering', order.map(({ field, descending }) => (descending ? '-' : '') + snakeCase(field)).join());
  parameters.set('page_size', String(size));
  parameters.set('count', String(counted));
  for (const name of omitted) parameters.delete(name);
  return `${path}?${parameters.toString()}`;
};

/** Paths with query strings that request the first page of a list, with random values of all parameters. */
export const requestsOf = <Field extends string>(list: ListAt<Field>): fc.Arbitrary<string> =>
  fc
    .record({
      query: queriesOf(list),
      omitted: fc.subarray(['ordering', 'page_size', 'count']),
      isInCapitals: fc.boolean(),
    })
    .map(({ query, ...spelling }) => requestOf(list, query, spelling));
