import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions } from './conditions.ts';
import { indexCondition, readAlongIndex } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes, type Reads } from './list.ts';
import {
  boundingFiltersOf,
  checkedColumns,
  type FilterPositions,
  type OrderMatch,
  otherFilters,
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
 * Bounded scan: reads up to `limit` rows of a range of an index, in the order of the page, and keeps the matching rows.
 *
 * - Applies to an order that an index has, with any words and filters.
 * - Reads up to `limit` entries of the range, and as many rows. If the index has all columns of the conditions, it reads only
 *   the rows of the page, or none if the index has their columns too. If no matching row follows the page, it reads up to
 *   `limit` + 1 entries again, to find out whether the range has more than `limit` rows.
 * - Is correct because the first matching rows are the page, if they fill it or the range has no more rows. Otherwise the result
 *   ends with a limit row.
 */
export interface BoundedScan {
  readonly kind: 'bounded scan';
  readonly index: Index;
  /** The filters that bound the range. Each row of the range is checked against the other filters. */
  readonly boundingFilters: FilterPositions;
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
  { limit, isShort = false }: { readonly limit: number; readonly isShort?: boolean },
): BoundedScan | undefined => {
  if (match !== 'exact') return undefined;
  const boundingFilters = boundingFiltersOf(list, scope, shape, by);
  const order = shape.order.map(({ field }) => list.columns[field]);
  const checked = [...checkedColumns(list, shape, otherFilters(shape, boundingFilters)), ...order];
  const chosen = chooseIndex(orderIndexes(list, scope, by), checked, list.select);
  // There is always an index, unless only a partial one has the order.
  if (!chosen) return undefined;
  const canShareConnection = isShort && readsOneEntryPerRow(list, shape, chosen.index, boundingFilters);
  return { kind: 'bounded scan', ...chosen, boundingFilters, limit, canShareConnection };
};

/** Returns the statement of a bounded scan. */
export const boundedScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, boundingFilters, reads, limit }: BoundedScan,
): Sql => {
  const where = [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, boundingFilters)];
  const met = checks(list, shape, otherFilters(shape, boundingFilters));
  const read = reads === 'index and page' ? column('id') : sql`*`;
  const scanned = readAlongIndex(list, shape, { columns: sql`${read}, ${met} as met`, where, limit });
  // Reads one entry more than `scanned`. If that entry exists, the limit is exceeded.
  const oneMore = readAlongIndex(list, shape, { columns: sql`true`, where, limit: limit + 1 });
  const rows =
    reads === 'index and page'
      ? sql`(select id from (${scanned}) u where met) page cross join ${rowsOfPage(list)}`
      : sql`(${scanned}) u where met`;
  // PostgreSQL runs the parts of UNION ALL in order, and stops at the LIMIT of the statement: the page and one more item. So
  // the part with the limit row runs only if the scan finds no item after the page.
  const found = sql`(select ${shownColumns(list)} from ${rows}) union all
    (select ${limitRow(list)} from (${oneMore}) scanned offset ${sql.lit(limit)})`;
  return sql`${withHeader(list, found)} ${limitToResult(list)}`;
};
