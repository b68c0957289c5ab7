import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions } from './conditions.ts';
import { indexCondition, readAlongIndex } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes, type Reads } from './list.ts';
import {
  checkedColumns,
  type FilterPositions,
  type OrderMatch,
  otherFilters,
  rangeFilters,
  readsOneEntryPerRow,
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
 * Bounded scan: reads up to `limit` rows in the order of the page, and keeps those that meet the conditions.
 *
 * - Applies to an order that an index has, with any words and filters.
 * - Reads up to `limit` index entries and as many rows. If the index has all columns that the conditions check, it reads only
 *   the rows of the page. If these do not fill the page, it reads the entries again to find out whether the list has more.
 * - Is correct because rows are read in the order of the list. The first rows that meet the conditions are the page if they
 *   fill it or the list has no more rows. Otherwise the page is incomplete, and the result ends with a limit row.
 */
export interface BoundedScan {
  readonly kind: 'bounded scan';
  readonly index: Index;
  /** The filters that bound the range. Each row is checked against the other filters. */
  readonly filters: FilterPositions;
  readonly reads: Reads;
  readonly limit: number;
  /** Whether it reads few enough rows to share a connection with other statements. */
  readonly canShareConnection: boolean;
}

/** Plans a bounded scan. Returns undefined if it does not apply. */
export const planBoundedScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { by, match }: OrderMatch<Field>,
  { limit, isFirstAttempt = false }: { readonly limit: number; readonly isFirstAttempt?: boolean },
): BoundedScan | undefined => {
  if (match !== 'exact') return undefined;
  const filters = rangeFilters(list, scope, shape, by);
  const order = shape.order.map(({ field }) => list.columns[field]);
  const checked = [...checkedColumns(list, shape, otherFilters(shape, filters)), ...order];
  const chosen = chooseIndex(orderIndexes(list, scope, by), checked, list.select);
  if (!chosen) return undefined;
  const canShareConnection = isFirstAttempt && readsOneEntryPerRow(list, shape, chosen.index, filters);
  return { kind: 'bounded scan', ...chosen, filters, limit, canShareConnection };
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
  const scanned = readAlongIndex(list, shape, { columns: sql`${read}, ${met} as met`, where, limit });
  // Reads one entry more than `scanned`. If that entry exists, the limit was reached.
  const oneMore = readAlongIndex(list, shape, { columns: sql`true`, where, limit: limit + 1 });
  const rows =
    reads === 'index and page'
      ? sql`(select id from (${scanned}) u where met) page cross join ${rowsOfPage(list)}`
      : sql`(${scanned}) u where met`;
  // PostgreSQL runs the parts of a UNION in order and stops at the limit. The second part runs only if the first does not fill
  // the page.
  const found = sql`(select ${shownColumns(list)} from ${rows}) union all
    (select ${limitRow(list)} from (${oneMore}) scanned offset ${sql.lit(limit)})`;
  return sql`${withHeader(list, found)} ${limitToResult(list)}`;
};
