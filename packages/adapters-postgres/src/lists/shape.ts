import type { ListQuery, Operator, Order, Position } from '@chapter/domain';
import type { Columns } from './lists.ts';

/** A filter without its value; whether it asks for null or for anything else is not a value but a condition of its own. */
export interface FilterShape<Field extends string> {
  readonly field: Field;
  readonly operator: Operator | 'isnotnull';
  /** Whether the value is a part of the search column that an index of trigrams leads to. */
  readonly hasTrigrams: boolean;
}

/** What a query consists of beside its values: what decides the text of its statements. */
export interface Shape<Field extends string> {
  readonly filters: readonly FilterShape<Field>[];
  /** How many words are searched for, how many of them (the first) have trigrams, and where they are searched. */
  readonly words: number;
  readonly trigrams: number;
  readonly searched: readonly Field[];
  readonly order: readonly Order<Field>[];
  /** The place, of whose values is known which are null. */
  readonly position: (Omit<Position, 'values'> & { readonly nulls: readonly boolean[] }) | null;
}

// Three such characters in a row are a trigram, whatever the database's locale takes for a letter.
const TRIGRAM = /[a-z0-9]{3}/;

const CONTAINED: ReadonlySet<Operator> = new Set(['eq', 'icontains', 'istartswith']);

/** Whether what passes a filter has its value within the search column. */
export const isContained = <Field extends string>(
  { search }: Columns<Field>,
  { field, operator }: { readonly field: Field; readonly operator: FilterShape<Field>['operator'] },
): boolean => search !== undefined && search.fields.includes(field) && CONTAINED.has(operator as Operator);

/** The same query with the words that have trigrams first. */
export const inOrderOfWords = <Field extends string>(query: ListQuery<Field>): ListQuery<Field> =>
  query.words.length < 2
    ? query
    : { ...query, words: query.words.toSorted((a, b) => Number(TRIGRAM.test(b)) - Number(TRIGRAM.test(a))) };

/** The shape of a query. */
export const shapeOf = <Field extends string>(list: Columns<Field>, query: ListQuery<Field>): Shape<Field> => ({
  filters: query.filters.map((filter) => ({
    field: filter.field,
    operator: filter.operator === 'isnull' && !filter.value ? 'isnotnull' : filter.operator,
    hasTrigrams: isContained(list, filter) && TRIGRAM.test(String(filter.value)),
  })),
  words: query.words.length,
  trigrams: query.words.filter((word) => TRIGRAM.test(word)).length,
  searched: query.words.length > 0 ? query.searched : [],
  order: query.order,
  position: query.position && {
    side: query.position.side,
    inclusive: query.position.inclusive,
    nulls: query.position.values.map((value) => value === null),
  },
});
