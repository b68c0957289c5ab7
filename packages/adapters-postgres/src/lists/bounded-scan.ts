import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions } from './conditions.ts';
import { alongIndex, indexCondition } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes, type Reads } from './list.ts';
import {
  checkedColumns,
  type FilterPlaces,
  type OrderMatch,
  otherFilters,
  rangeFilters,
  readsRowByRow,
  type Shape,
} from './shape.ts';
import {
  column,
  inScope,
  limitRow,
  limitToResult,
  rowsOfPage,
  type Sql,
  shownColumns,
  withHeader,
} from './statements.ts';

/**
 * Bounded scan: reads up to `limit` rows in the order of the page, and takes those that meet the conditions.
 *
 * - Applies to an order that an index has, with any words and filters.
 * - Reads up to `limit` entries of the index and as many rows; twice the entries when that does not fill the page. It reads
 *   no row but those of the page where the index has what the conditions check.
 * - Is correct because rows are read in the order of the list: the first ones that meet the conditions are the page, if they
 *   fill it or the list has no more rows. Otherwise the page is not complete, and the result ends with a limit row.
 */
export interface BoundedScan {
  readonly kind: 'bounded scan';
  readonly index: Index;
  /** The filters that bound the range. Each row is checked against all others. */
  readonly filters: FilterPlaces;
  readonly reads: Reads;
  readonly limit: number;
  /** Whether it reads so few rows that other statements can wait for it on the same connection. */
  readonly isBrief: boolean;
}

/** Plans a bounded scan; undefined where it does not apply. */
export const planBoundedScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { by, match }: OrderMatch<Field>,
  { limit, isShort = false }: { readonly limit: number; readonly isShort?: boolean },
): BoundedScan | undefined => {
  if (match !== 'exact') return undefined;
  const filters = rangeFilters(list, scope, shape, by);
  const order = shape.order.map(({ field }) => list.columns[field]);
  const checked = [...checkedColumns(list, shape, otherFilters(shape, filters)), ...order];
  const chosen = chooseIndex(orderIndexes(list, scope, by), checked, list.select);
  if (!chosen) return undefined;
  const isBrief = isShort && readsRowByRow(list, shape, chosen.index, filters);
  return { kind: 'bounded scan', ...chosen, filters, limit, isBrief };
};

/** Returns the statement of a bounded scan. */
export const boundedScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, filters, reads, limit }: BoundedScan,
): Sql => {
  const where = [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, filters)];
  const met = checks(list, shape, otherFilters(shape, filters));
  const read = reads === 'index and page' ? column('id') : sql`*`;
  const scanned = alongIndex(list, shape, { columns: sql`${read}, ${met} as met`, where, limit });
  const passed = alongIndex(list, shape, { columns: sql`true`, where, limit: limit + 1 });
  const rows =
    reads === 'index and page'
      ? sql`(select id from (${scanned}) u where met) page cross join ${rowsOfPage(list)}`
      : sql`(${scanned}) u where met`;
  // Parts of a UNION run in turn and only until the page is full: the second one runs when the first leaves room.
  const found = sql`(select ${shownColumns(list)} from ${rows}) union all
    (select ${limitRow(list)} from (${passed}) scanned offset ${sql.lit(limit)})`;
  return sql`${withHeader(list, found)} ${limitToResult(list)}`;
};
