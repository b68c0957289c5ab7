import type { ListQuery, Operator, Position } from '@chapter/domain/ports';
import { type Index, UNINDEXED_CHARACTERS } from '../schema/indexes.ts';
import { chooseIndex, DIVISION_COLUMN, isUnique, type ListColumn, type ListTable, orderIndexes } from './list.ts';

/** The source of a statement's values. */
export interface ListInput {
  /** The division whose rows are listed. Null if the list does not depend on a division. */
  readonly divisionId: string | null;
  readonly query: ListQuery<string>;
}

/** A filter without its value. `isnotnull` stands for `isnull=false`, because its condition differs from `isnull=true`. */
export interface FilterShape {
  readonly column: ListColumn;
  readonly operator: Operator | 'isnotnull';
}

interface OrderShape {
  readonly column: ListColumn;
  readonly descending: boolean;
  /** The position of its value in the cursor, and whether that is null. Not used without a cursor. */
  readonly at: number;
  readonly isNull: boolean;
}

/**
 * What a plan and the text of its statements depend on: a list, and a query without its values, but with some
 * properties of the values. All queries of a shape share their statements.
 */
export interface Shape {
  readonly list: ListTable;
  readonly filters: readonly FilterShape[];
  readonly words: number;
  /** The columns that are searched for the words: only the search column if the query searches all its fields. */
  readonly searched: readonly string[];
  /** Whether a word or the text of a filter has trigrams. */
  readonly hasTrigrams: boolean;
  /** Whether one of these texts has indexed characters outside its trigrams. */
  readonly hasCharacters: boolean;
  readonly order: readonly OrderShape[];
  readonly position: Pick<Position, 'side' | 'inclusive'> | null;
}

/** Returns the column of a field. @throws Error if the list does not have the field, which the types of queries exclude. */
export const columnOf = ({ name, columns }: ListTable, field: string): ListColumn => {
  const column = columns[field];
  if (!column) throw new Error(`the list of ${name} has no field ${field}`);
  return column;
};

/** Returns whether a column has the same value, the division's id, in all rows of the list. */
export const isFixed = ({ isOfDivision }: ListTable, { name }: ListColumn): boolean =>
  isOfDivision && name === DIVISION_COLUMN;

// Three consecutive ASCII letters or digits form a trigram in every database. Other characters depend on its locale.
const TRIGRAMS = /(?=([a-z0-9]{3}))/g;
const RUNS_OF_TRIGRAMS = /[a-z0-9]{3,}/g;
const TRIGRAM = /[a-z0-9]{3}/;

const CONTAINED: ReadonlySet<string> = new Set<Operator>(['icontains', 'istartswith']);

/**
 * Returns the texts that occur in the search column of every matching row: words, and parts of fields. The inverted
 * index finds rows by them. All searched fields have an index of their own for filters by the whole value (`eq`).
 */
export const containedTexts = ({ search }: ListTable, { filters, words }: ListQuery<string>): readonly string[] => {
  const contained = filters.filter(({ field, operator }) => search.fields.includes(field) && CONTAINED.has(operator));
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
 * Returns the order without a column that has one value in the list: `division,-last_name` becomes `-last_name` in a list of one
 * division's members. Keeps it if its value in the cursor differs: then all rows are on the same side of the cursor.
 */
const orderOf = (list: ListTable, { divisionId, query: { order, position } }: ListInput): readonly OrderShape[] => {
  const steps: OrderShape[] = [];
  for (const [at, { field, descending }] of order.entries()) {
    const [column, value] = [columnOf(list, field), position?.values[at] ?? null];
    const hasNoEffect = isFixed(list, column) && (!position || value === divisionId);
    if (!hasNoEffect) steps.push({ column, descending, at, isNull: value === null });
  }
  return steps;
};

const searchedColumns = (list: ListTable, { words, searched }: ListQuery<string>): readonly string[] => {
  if (words.length === 0) return [];
  return list.search.fields.every((field) => searched.includes(field))
    ? [list.search.column]
    : searched.map((field) => columnOf(list, field).name);
};

/** Returns the shape of a query. */
export const shapeOf = (list: ListTable, input: ListInput): Shape => {
  const { query } = input;
  const texts = containedTexts(list, query);
  return {
    list,
    filters: query.filters.map(({ field, operator, value }) => ({
      column: columnOf(list, field),
      operator: operator === 'isnull' && !value ? 'isnotnull' : operator,
    })),
    words: query.words.length,
    searched: searchedColumns(list, query),
    hasTrigrams: texts.some((text) => TRIGRAM.test(text)),
    hasCharacters: indexedCharactersOf(texts).length > 0,
    order: orderOf(list, input),
    position: query.position && { side: query.position.side, inclusive: query.position.inclusive },
  };
};

/** Returns the shape with the ascending order of one column, from its start. */
export const inOrderOfColumn = (shape: Shape, column: ListColumn): Shape => ({
  ...shape,
  order: [{ column, descending: false, at: 0, isNull: true }],
  position: null,
});

/** Returns a text that no other shape has. */
export const keyOf = ({ list, filters, words, searched, hasTrigrams, hasCharacters, order, position }: Shape) => {
  let key = `${list.name} ${words} ${hasTrigrams} ${hasCharacters} ${searched.join()}`;
  for (const { column, operator } of filters) key += ` ${column.name} ${operator}`;
  key += position ? ` ${position.side} ${position.inclusive}` : ' first';
  for (const { column, descending, at, isNull } of order) key += ` ${column.name} ${descending} ${at} ${isNull}`;
  return key;
};

/** Positions of filters among a query's filters. */
export type FilterPositions = readonly number[];

/** Returns the positions of the filters that pass a test. */
export const filtersWhere = ({ filters }: Shape, test: (filter: FilterShape) => boolean): FilterPositions =>
  filters.flatMap((filter, at) => (test(filter) ? [at] : []));

/** Returns all filters except the given ones. */
export const otherFilters = (shape: Shape, positions: FilterPositions): FilterPositions =>
  [...shape.filters.keys()].filter((at) => !positions.includes(at));

/** Rows of an index that filters bound. */
export interface IndexRange {
  readonly index: Index;
  /** The filters that bound the range. Each row of the range is checked against the other filters. */
  readonly boundingFilters: FilterPositions;
}

/**
 * Returns the filters that bound the range of a column's index. `in` needs several ranges, and `icontains` has none. A
 * filter by a fixed column bounds each range, because all rows of the list meet it, or none.
 */
const boundingFiltersOf = (shape: Shape, by: ListColumn): FilterPositions =>
  filtersWhere(
    shape,
    ({ column, operator }) =>
      isFixed(shape.list, column) || (column === by && operator !== 'in' && operator !== 'icontains'),
  );

/**
 * Chooses the index in the order of a column with which a scan reads the fewest rows, for a page that shows the given
 * columns. Returns undefined if only a partial index has the order.
 */
export const chooseRange = (shape: Shape, by: ListColumn, shown: readonly string[]) => {
  const { list, filters, order, searched } = shape;
  const boundingFilters = boundingFiltersOf(shape, by);
  const checked = filters.filter((_, at) => !boundingFilters.includes(at));
  const columns = [by, ...checked.map(({ column }) => column), ...order.map(({ column }) => column)];
  const names = ['id', ...searched, ...columns.map(({ name }) => name)];
  const chosen = chooseIndex(orderIndexes(list, by), names, shown);
  return chosen && { ...chosen, boundingFilters };
};

/** How well an index matches an order. */
export interface OrderMatch {
  readonly by: ListColumn;
  /**
   * `exact`: the entries of its index are in the order. `presorted`: they are in the order of the first column only.
   * `none`: no index has the first column, so `by` is the default column.
   */
  readonly match: 'exact' | 'presorted' | 'none';
}

/** Returns the column whose index matches the order of a query best, and how well. */
export const matchOrder = ({ list, order }: Shape): OrderMatch => {
  const by = order[0]?.column ?? list.defaultColumn;
  // Columns after a unique one do not affect the order.
  const deciding = order.slice(0, order.findIndex(({ column }) => isUnique(list, column)) + 1);
  const candidates = orderIndexes(list, by);
  const isExact =
    deciding.every(({ descending }) => descending === order[0]?.descending) &&
    candidates.some(({ columns }) => deciding.every(({ column }, at) => columns[at] === column.name));
  if (isExact) return { by, match: 'exact' };
  return candidates.length > 0 ? { by, match: 'presorted' } : { by: list.defaultColumn, match: 'none' };
};

/**
 * Returns whether a scan reads one entry per row, so that a limit of rows bounds its work. With a cursor and a filter,
 * it may start before the first row after the cursor (see `afterCursor`), and skip any number of entries. Order columns
 * that are not in the index make PostgreSQL sort, even if they do not affect the order.
 */
export const readsOneEntryPerRow = ({ order, position }: Shape, { index, boundingFilters }: IndexRange): boolean =>
  (position === null || boundingFilters.length === 0) &&
  order.every(({ column }) => index.columns.includes(column.name));
