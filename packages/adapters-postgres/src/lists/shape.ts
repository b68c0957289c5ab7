import type { ListQuery, Operator, Order, Position } from '@chapter/domain';
import { type Index, UNINDEXED_CHARACTERS } from '../schema/indexes.ts';
import { isUnique, type ListScope, type ListTable, orderIndexes, SCOPE_COLUMN } from './list.ts';

/** A filter without its value. `isnotnull` stands for `isnull=false`, because its condition differs from `isnull=true`. */
export interface FilterShape<Field extends string> {
  readonly field: Field;
  readonly operator: Operator | 'isnotnull';
}

/**
 * What a plan and the text of its statements depend on: a query without its values, but with some properties of the values. All
 * queries of a shape share their statements.
 */
export interface Shape<Field extends string> {
  readonly filters: readonly FilterShape<Field>[];
  readonly words: number;
  readonly searched: readonly Field[];
  /** Whether a word or the text of a filter has trigrams. */
  readonly hasTrigrams: boolean;
  /** Whether one of these texts has indexed characters outside its trigrams. */
  readonly hasCharacters: boolean;
  readonly order: readonly Order<Field>[];
  /** The position of the cursor. `nulls` tells which of the cursor's values are null. */
  readonly position: (Omit<Position, 'values'> & { readonly nulls: readonly boolean[] }) | null;
}

// Three consecutive ASCII letters or digits form a trigram in every database. Other characters depend on its locale.
const TRIGRAMS = /(?=([a-z0-9]{3}))/g;
const RUNS_OF_TRIGRAMS = /[a-z0-9]{3,}/g;
const TRIGRAM = /[a-z0-9]{3}/;

const CONTAINED: ReadonlySet<string> = new Set<Operator>(['icontains', 'istartswith']);

/**
 * Returns the texts that occur in the search column of every matching row: words, and parts of fields. The inverted index finds
 * rows by them. All searched fields have an index of their own for filters by the whole value (`eq`).
 */
export const containedTexts = (
  { fields }: ListTable<string>['search'],
  { filters, words }: ListQuery<string>,
): readonly string[] => {
  const contained = filters.filter(({ field, operator }) => fields.includes(field) && CONTAINED.has(operator));
  return [...words, ...contained.map(({ value }) => String(value))];
};

/** Returns the distinct trigrams of texts. */
export const trigramsOf = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => Array.from(text.matchAll(TRIGRAMS), ([, trigram = '']) => trigram))),
];

/** Returns the distinct indexed characters of texts: those outside trigrams that the inverted index contains. */
export const indexedCharactersOf = (texts: readonly string[]): readonly string[] => {
  const characters = texts.flatMap((text) => Array.from(text.replaceAll(RUNS_OF_TRIGRAMS, '')));
  return [...new Set(characters)].filter((one) => !UNINDEXED_CHARACTERS.includes(one));
};

/**
 * Returns the value of a field that is the same in all rows of the scope: in a list of one division's members, the field of the
 * division has the division's id. Returns undefined for other fields.
 */
const fixedValue = <Field extends string>(
  { columns }: ListTable<Field>,
  scope: ListScope,
  field: Field,
): string | undefined => (scope !== 'all' && columns[field] === SCOPE_COLUMN ? scope.divisionId : undefined);

/** Returns whether the scope gives all rows the same value of a field. */
export const isFixed = <Field extends string>(list: ListTable<Field>, scope: ListScope, field: Field): boolean =>
  fixedValue(list, scope, field) !== undefined;

/**
 * Returns the query without the fields of its order that have one value in the scope: `division,-last_name` becomes `-last_name`
 * in a list of one division's members. Keeps such a field if its value in the cursor differs: then all rows are on the same side
 * of the cursor.
 */
export const withoutFixedFields = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  query: ListQuery<Field>,
): ListQuery<Field> => {
  const { order, position } = query;
  const isKept = (at: number): boolean => {
    const fixed = order[at] && fixedValue(list, scope, order[at].field);
    return fixed === undefined || (position !== null && position.values[at] !== fixed);
  };
  return {
    ...query,
    order: order.filter((_, at) => isKept(at)),
    position: position && { ...position, values: position.values.filter((_, at) => isKept(at)) },
  };
};

/** Returns the shape of a query. */
export const shapeOf = <Field extends string>(list: ListTable<Field>, query: ListQuery<Field>): Shape<Field> => {
  const texts = containedTexts(list.search, query);
  return {
    filters: query.filters.map(({ field, operator, value }) => ({
      field,
      operator: operator === 'isnull' && !value ? 'isnotnull' : operator,
    })),
    words: query.words.length,
    searched: query.words.length > 0 ? query.searched : [],
    hasTrigrams: texts.some((text) => TRIGRAM.test(text)),
    hasCharacters: indexedCharactersOf(texts).length > 0,
    order: query.order,
    position: query.position && {
      side: query.position.side,
      inclusive: query.position.inclusive,
      nulls: query.position.values.map((value) => value === null),
    },
  };
};

/** Positions of filters among a query's filters. */
export type FilterPositions = readonly number[];

/** Returns the positions of the filters that pass a test. */
export const filtersWhere = <Field extends string>(
  { filters }: Shape<Field>,
  test: (filter: FilterShape<Field>) => boolean,
): FilterPositions => filters.flatMap((filter, at) => (test(filter) ? [at] : []));

/**
 * Returns the filters that bound the range of a field's index. `in` needs several ranges, and `icontains` has none. A filter by a
 * fixed field bounds each range, because all rows of the scope meet it, or none.
 */
export const boundingFiltersOf = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  by: Field,
): FilterPositions =>
  filtersWhere(
    shape,
    ({ field, operator }) =>
      isFixed(list, scope, field) || (field === by && operator !== 'in' && operator !== 'icontains'),
  );

/** Returns all filters except the given ones. */
export const otherFilters = (shape: Shape<string>, positions: FilterPositions): FilterPositions =>
  [...shape.filters.keys()].filter((at) => !positions.includes(at));

/** Returns the columns that are searched for the words: only the search column if the query searches all its fields. */
export const searchedColumns = <Field extends string>(
  { columns, search }: ListTable<Field>,
  { words, searched }: Shape<Field>,
): readonly string[] => {
  if (words === 0) return [];
  return search.fields.every((field) => searched.includes(field))
    ? [search.column]
    : searched.map((field) => columns[field]);
};

/** Returns `id` and the columns that the given filters and all words check. */
export const checkedColumns = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  checked: FilterPositions,
): readonly string[] => [
  'id',
  ...shape.filters.filter((_, at) => checked.includes(at)).map(({ field }) => list.columns[field]),
  ...searchedColumns(list, shape),
];

/** How well an index matches an order. */
export interface OrderMatch<Field extends string> {
  /** The field whose index is read. */
  readonly by: Field;
  /**
   * `exact`: the entries of its index are in the order. `presorted`: they are in the order of the first field only. `none`: no
   * index has the first field, so `by` is the default field.
   */
  readonly match: 'exact' | 'presorted' | 'none';
}

/** Returns the field whose index matches the order of a query best, and how well. */
export const matchOrder = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  { order }: Shape<Field>,
): OrderMatch<Field> => {
  const by = order[0]?.field ?? list.defaultField;
  // Fields after a unique field do not affect the order.
  const deciding = order.slice(0, order.findIndex(({ field }) => isUnique(list, field)) + 1);
  const candidates = orderIndexes(list, scope, by);
  const isExact =
    deciding.every(({ descending }) => descending === order[0]?.descending) &&
    candidates.some(({ columns }) => deciding.every(({ field }, at) => columns[at] === list.columns[field]));
  if (isExact) return { by, match: 'exact' };
  return candidates.length > 0 ? { by, match: 'presorted' } : { by: list.defaultField, match: 'none' };
};

/**
 * Returns whether a scan reads one entry per row, so that a limit of rows bounds its work. With a cursor and a filter, it may
 * start before the first row after the cursor (see `afterCursor`), and skip any number of entries. Order fields that are not in
 * the index make PostgreSQL sort, even if they do not affect the order.
 */
export const readsOneEntryPerRow = <Field extends string>(
  { columns }: ListTable<Field>,
  { order, position }: Shape<Field>,
  index: Index,
  boundingFilters: FilterPositions,
): boolean =>
  (position === null || boundingFilters.length === 0) &&
  order.every(({ field }) => index.columns.includes(columns[field]));
