import { sql } from 'kysely';
import { checks } from './conditions.ts';
import { type IndexLookup, planLookups, selectFoundRows } from './index-lookup.ts';
import { readRange } from './keyset.ts';
import { orderIndexes } from './list.ts';
import { LIMITS, type Limits } from './plan.ts';
import { type BoundedScan, planBoundedScan } from './scans.ts';
import { inOrderOfColumn, isFixed, otherFilters, type Shape } from './shape.ts';
import type { Sql } from './statements.ts';

/** A strategy to count the matching rows. */
export type CountStrategy = BoundedScan | IndexLookup;

/**
 * Returns the shape with the order of the index that a count scans: an index whose range a filter bounds (the first such filter in
 * the query string), else the index of the default order. Without any condition, it is the smallest index, that of `id`, which is
 * the last field of every order.
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
