import type { ListQuery, Operator, Order, Position } from '@chapter/domain';
import type { Index } from '../schema/indexes.ts';
import { isFixed, isUnique, type ListScope, type ListTable, orderIndexes } from './list.ts';

/** A filter without its value. `isnotnull` is `isnull=false`, which is another condition and not another value. */
export interface FilterShape<Field extends string> {
  readonly field: Field;
  readonly operator: Operator | 'isnotnull';
  /** Whether the index of trigrams can find the value. */
  readonly hasTrigrams: boolean;
}

/** A query without its values: all that its plan and the text of its statements depend on. */
export interface Shape<Field extends string> {
  readonly filters: readonly FilterShape<Field>[];
  readonly words: number;
  /** How many of the words, the first ones, the index of trigrams can find. */
  readonly trigrams: number;
  readonly searched: readonly Field[];
  readonly order: readonly Order<Field>[];
  /** The position of the cursor, with which of its values are null. */
  readonly position: (Omit<Position, 'values'> & { readonly nulls: readonly boolean[] }) | null;
}

// Three ASCII letters or digits in a row are a trigram in every database; others depend on its locale.
const TRIGRAM = /[a-z0-9]{3}/;

const CONTAINED: ReadonlySet<string> = new Set<Operator>(['eq', 'icontains', 'istartswith']);

/** Returns the query with the words first that have trigrams. */
export const orderWords = <Field extends string>(query: ListQuery<Field>): ListQuery<Field> =>
  query.words.length < 2
    ? query
    : { ...query, words: query.words.toSorted((a, b) => Number(TRIGRAM.test(b)) - Number(TRIGRAM.test(a))) };

/** Returns the shape of a query. */
export const shapeOf = <Field extends string>({ search }: ListTable<Field>, query: ListQuery<Field>): Shape<Field> => ({
  filters: query.filters.map(({ field, operator, value }) => ({
    field,
    operator: operator === 'isnull' && !value ? 'isnotnull' : operator,
    hasTrigrams: search.fields.includes(field) && CONTAINED.has(operator) && TRIGRAM.test(String(value)),
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

/** The places in a query of some of its filters. */
export type FilterPlaces = readonly number[];

/** Returns the places of the filters that meet a test. */
export const filtersWhere = <Field extends string>(
  { filters }: Shape<Field>,
  test: (filter: FilterShape<Field>) => boolean,
): FilterPlaces => filters.flatMap((filter, at) => (test(filter) ? [at] : []));

/**
 * Returns the filters that bound the range of a field's index. `in` is several ranges, and `icontains` none. A filter by a fixed
 * field admits the whole range or nothing.
 */
export const rangeFilters = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  by: Field,
): FilterPlaces =>
  filtersWhere(
    shape,
    ({ field, operator }) =>
      isFixed(list, scope, field) || (field === by && operator !== 'in' && operator !== 'icontains'),
  );

/** Returns all filters but the given ones. */
export const otherFilters = (shape: Shape<string>, places: FilterPlaces): FilterPlaces =>
  [...shape.filters.keys()].filter((at) => !places.includes(at));

/** Returns the columns in which words are searched: one column where it has the text of all searched fields. */
export const searchedColumns = <Field extends string>(
  { columns, search }: ListTable<Field>,
  { words, searched }: Shape<Field>,
): readonly string[] => {
  if (words === 0) return [];
  return search.fields.every((field) => searched.includes(field))
    ? [search.column]
    : searched.map((field) => columns[field]);
};

/** Returns the columns that some filters and all words check, and `id`. */
export const checkedColumns = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  checked: FilterPlaces,
): readonly string[] => [
  'id',
  ...shape.filters.filter((_, at) => checked.includes(at)).map(({ field }) => list.columns[field]),
  ...searchedColumns(list, shape),
];

/** How well an index matches an order. */
export interface OrderMatch<Field extends string> {
  /** The field by whose index rows are read. */
  readonly by: Field;
  /** `exact`: entries are in the order. `presorted`: in the order of its first field. `none`: another order. */
  readonly match: 'exact' | 'presorted' | 'none';
}

/** Returns the field whose index matches the order of a query best. */
export const matchOrder = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  { order }: Shape<Field>,
): OrderMatch<Field> => {
  const fixed = order[0] !== undefined && isFixed(list, scope, order[0].field) ? 1 : 0;
  const by = order[fixed]?.field ?? list.defaultField;
  // Fields after a unique one decide nothing.
  const deciding = order.slice(0, order.findIndex(({ field }) => isUnique(list, field)) + 1);
  const candidates = orderIndexes(list, scope, by);
  const isExact =
    // After a fixed field, nulls cannot be read as a range of their own.
    !(fixed === 1 && list.fields[by].nullable) &&
    deciding.every(({ descending }) => descending === order[0]?.descending) &&
    candidates.some(({ columns }) =>
      deciding.slice(fixed).every(({ field }, at) => columns[at] === list.columns[field]),
    );
  if (isExact) return { by, match: 'exact' };
  return candidates.length > 0 && fixed === 0 ? { by, match: 'presorted' } : { by: list.defaultField, match: 'none' };
};

/**
 * Whether a scan of an index reads one entry for each row from where it begins, so that a limit of rows bounds its work. With a
 * cursor and a filter, PostgreSQL begins at either: it does not know which is further. Fields that are not in the index it sorts
 * by, even if they decide nothing.
 */
export const readsRowByRow = <Field extends string>(
  { columns }: ListTable<Field>,
  { order, position }: Shape<Field>,
  index: Index,
  bounding: FilterPlaces,
): boolean =>
  (position === null || bounding.length === 0) && order.every(({ field }) => index.columns.includes(columns[field]));
