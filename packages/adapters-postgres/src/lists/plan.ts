import { sql } from 'kysely';
import { checks } from './conditions.ts';
import { type FullSort, planFullSort } from './full-sort.ts';
import { type IndexLookup, planLookups, planValueLookup, selectFoundRows } from './index-lookup.ts';
import { readRange } from './keyset.ts';
import { orderIndexes } from './list.ts';
import { type BoundedScan, type IndexScan, planBoundedScan, planIndexScan } from './scans.ts';
import { inOrderOfColumn, isFixed, matchOrder, otherFilters, type Shape } from './shape.ts';
import type { Sql } from './statements.ts';

/**
 * How many rows of its range or found rows a strategy may use. It exceeds its limit if there are more, which it finds
 * out by reading one more. Rows of the page that it reads by id are not counted.
 */
export const LIMITS = {
  /** Limit of the short scan or sort, the first one in the order of an index. Such a scan can share a connection. */
  short: 500,
  /** Limit of the next one, and of the lookup before them. Reading a typical division costs less than an inverted index. */
  small: 10_000,
  /** Limit of the other lookups and of the last scan or sort. A page that exceeds them all is refused. */
  large: 100_000,
};

/** Limits such as {@link LIMITS}. */
export type Limits = Readonly<typeof LIMITS>;

/**
 * A strategy to read a page. Its `index` is the one that tests expect in PostgreSQL's plans. Statements do not name it.
 */
export type Strategy = IndexScan | BoundedScan | IndexLookup | FullSort;

/**
 * Plans a page. Returns the strategies to try in order until one completes the page. If none does, the request is
 * refused. Each reads a bounded number of rows. Only the entries of an inverted index have no limit: for each
 * condition, a lookup reads up to one entry per row of the table.
 *
 * Both kinds of scope are planned in the same way: one division adds a condition to each statement, and its lists use
 * only indexes that start with the division.
 *
 * For example, `search=anna&is_active=true&ordering=-last_name` in one division has these strategies:
 *
 * 1. A bounded scan of the index of division and last name checks 500 rows, from the cursor on.
 * 2. A bounded scan checks 10,000 rows, from the cursor on.
 * 3. An index lookup finds up to 100,000 rows of the division with trigrams of the word and the flag, also before the cursor.
 * 4. A bounded scan checks 100,000 rows, from the cursor on.
 *
 * A scan completes the page if the page is full, or if the division has no more rows. A lookup completes it unless it exceeds its
 * limit; then it returns no rows. Each strategy starts anew. If none completes the page, the response is 422.
 */
export const planPage = (shape: Shape, { short, small, large }: Limits = LIMITS): readonly Strategy[] => {
  const order = matchOrder(shape);
  const page = planIndexScan(shape, order);
  if (page) return [page];
  const scanOrSort = (limit: number) =>
    planBoundedScan(shape, order, { limit, isShort: limit === short }) ?? planFullSort(shape, order, limit);
  return [
    ...planValueLookup(shape, small),
    // Without an index for the order, a page needs all rows of the range, so a short sort would usually exceed its limit.
    ...(order.match === 'none' ? [] : [scanOrSort(short)]),
    scanOrSort(small),
    ...planLookups(shape, large),
    scanOrSort(large),
  ].filter((strategy) => strategy !== undefined);
};

/** A strategy to count the matching rows. */
export type CountStrategy = BoundedScan | IndexLookup;

/**
 * Returns the shape with the order of the index that a count scans: an index whose range a filter bounds (the first
 * such filter in the query string), else the index of the default order. Without any condition, it is the smallest
 * index, that of `id`, which is the last field of every order.
 */
export const countedShape = (shape: Shape): Shape => {
  const { list, filters, words, order } = shape;
  const bounding = filters.find(
    ({ column, operator }) =>
      operator !== 'in' && operator !== 'icontains' && !isFixed(list, column) && orderIndexes(list, column).length > 0,
  );
  const isWhole = filters.length === 0 && words === 0;
  const by = (isWhole ? order.at(-1) : bounding)?.column ?? list.defaultColumn;
  // A count returns no columns.
  return { ...inOrderOfColumn(shape, by), list: { ...list, select: [] } };
};

/** Plans a count. Returns the strategies to try in order, each with a limit of rows. `shape` is a {@link countedShape}. */
export const planCount = (shape: Shape, { small, large }: Limits = LIMITS): readonly CountStrategy[] => {
  const by = shape.order[0]?.column ?? shape.list.defaultColumn;
  const scan = (limit: number): readonly BoundedScan[] => {
    const strategy = planBoundedScan(shape, { by, match: 'exact' }, { limit });
    return strategy ? [strategy] : [];
  };
  const [whole] = scan(large);
  const isChecked = shape.words > 0 || otherFilters(shape, whole?.boundingFilters ?? []).length > 0;
  return isChecked ? [...scan(small), ...planLookups(shape, large), ...scan(large)] : scan(large);
};

/** Returns the statement of a count. Its result is one row with the count and whether the limit is exceeded. */
export const count = (shape: Shape, strategy: CountStrategy): Sql => {
  const met = (positions: readonly number[]): Sql => sql`${checks(shape, positions)} as met`;
  const rows =
    strategy.kind === 'bounded scan'
      ? readRange(shape, strategy, met(otherFilters(shape, strategy.boundingFilters)), strategy.limit + 1)
      : selectFoundRows(shape, strategy, met([...shape.filters.keys()]));
  return sql`select (count(*) filter (where met))::int, count(*) > ${sql.lit(strategy.limit)} from (${rows}) counted`;
};
