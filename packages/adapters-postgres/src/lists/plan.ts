import { type BoundedScan, planBoundedScan } from './bounded-scan.ts';
import { type FullSort, planFullSort } from './full-sort.ts';
import { type IndexLookup, planLookups, planValueLookup } from './index-lookup.ts';
import { type IndexScan, planIndexScan } from './index-scan.ts';
import type { ListScope, ListTable } from './list.ts';
import { matchOrder, type Shape } from './shape.ts';

/** The maximum number of rows that a strategy reads. */
export interface Limits {
  /** Limit of the first attempt in the order of an index. Such a short scan can share a connection with other statements. */
  readonly short: number;
  /** Limit of the next attempts. Typical divisions have fewer rows, and reading them all costs less than another index. */
  readonly small: number;
  /** Limit of the last attempts. A request that needs more rows is refused. */
  readonly large: number;
}

/** The limits of the service. */
export const LIMITS: Limits = { short: 500, small: 10_000, large: 100_000 };

/** A strategy to read a page. */
export type Strategy<Field extends string = string> = IndexScan | BoundedScan | IndexLookup | FullSort<Field>;

/**
 * Plans a page. Returns the strategies to try in order until one completes the page. Each reads a bounded number of rows. If none
 * completes the page, the request is refused.
 *
 * Both kinds of scope are planned in the same way: one division adds a condition to each statement, and its lists use only indexes
 * that start with the division.
 *
 * For example, `search=anna&is_active=true&ordering=-last_name` reads 500 and then 10,000 rows in the order of the last name's
 * index. Then it finds at most 100,000 rows by the trigrams of the word and by the flag. Last, it reads up to 100,000 rows in the
 * order of the index. Each attempt starts at the first row again and keeps nothing of the previous one.
 */
export const planPage = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { short, small, large }: Limits = LIMITS,
): readonly Strategy<Field>[] => {
  const order = matchOrder(list, scope, shape);
  const page = planIndexScan(list, scope, shape, order);
  if (page) return [page];
  const scanOrSort = (limit: number) =>
    planBoundedScan(list, scope, shape, order, { limit, isFirstAttempt: limit === short }) ??
    planFullSort(list, scope, shape, order, limit);
  return [
    ...planValueLookup(list, scope, shape, small),
    // Without an index for the order, a page needs all rows, so a short attempt would usually fail.
    ...(order.match === 'none' ? [] : [scanOrSort(short)]),
    scanOrSort(small),
    ...planLookups(list, scope, shape, large),
    scanOrSort(large),
  ].filter((strategy) => strategy !== undefined);
};
