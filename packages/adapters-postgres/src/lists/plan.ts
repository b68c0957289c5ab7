import { type BoundedScan, planBoundedScan } from './bounded-scan.ts';
import { type FullSort, planFullSort } from './full-sort.ts';
import { type IndexLookup, planLookups, planValueLookup } from './index-lookup.ts';
import { type IndexScan, planIndexScan } from './index-scan.ts';
import type { ListScope, ListTable } from './list.ts';
import { matchOrder, type Shape } from './shape.ts';

/** How many rows a strategy reads at most. */
export interface Limits {
  /** Of a first attempt along an index. A scan this short shares a connection with other statements. */
  readonly short: number;
  /** Of the next attempts. It covers a division of usual size, where reading all rows costs less than asking other indexes. */
  readonly small: number;
  /** Of the last attempts. A request that needs more is refused. */
  readonly large: number;
}

/** The limits of the service. */
export const LIMITS: Limits = { short: 500, small: 10_000, large: 100_000 };

/** A way to read a page, as data. */
export type Strategy<Field extends string = string> = IndexScan | BoundedScan | IndexLookup | FullSort<Field>;

/**
 * Plans a page: returns the strategies to try in turn until one completes it. Each reads a bounded number of rows, so a page that
 * none completes is refused.
 *
 * `search=anna&is_active=true&ordering=-last_name`, for example, is read along the index of the last name: 500 rows, then 10,000.
 * Then up to 100,000 rows are looked up by the trigrams of the word and by the flag, then up to 100,000 are read along the index.
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
  const readInOrder = (limit: number) =>
    planBoundedScan(list, scope, shape, order, { limit, isShort: limit === short }) ??
    planFullSort(list, scope, shape, order, limit);
  return [
    ...planValueLookup(list, scope, shape, small),
    // Without an index, a page needs all rows, so that a short attempt would mostly fail.
    ...(order.match === 'none' ? [] : [readInOrder(short)]),
    readInOrder(small),
    ...planLookups(list, scope, shape, large),
    readInOrder(large),
  ].filter((strategy) => strategy !== undefined);
};
