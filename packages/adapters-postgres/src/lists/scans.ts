import { sql } from 'kysely';
import { checks } from './conditions.ts';
import { readRange } from './keyset.ts';
import type { Reads } from './list.ts';
import {
  chooseRange,
  type IndexRange,
  type OrderMatch,
  otherFilters,
  readsOneEntryPerRow,
  type Shape,
} from './shape.ts';
import {
  column,
  limitRow,
  limitToResult,
  MAX_PAGE_ROWS,
  rowsOfPage,
  type Sql,
  shownColumns,
  withHeader,
} from './statements.ts';

/**
 * Index scan: reads only the rows of the page.
 *
 * - Applies to an order that an index has, without words, if all filters bound the range of that index
 *   (`birthdate__gte=1990-01-01&ordering=birthdate`).
 * - Reads `page_size` + 1 entries of the index, and as many rows unless the index has all columns that the page shows. With a
 *   cursor and a filter, it may also read entries, but no rows, before the page: those with the cursor's first value, and those
 *   between a forged cursor and the bound of the filter.
 * - Is correct because the rows of the range are the matching rows, in their order. The first ones after the cursor are the page.
 */
export interface IndexScan extends IndexRange {
  readonly kind: 'index scan';
  readonly canShareConnection: boolean;
}

/** Plans an index scan. Returns undefined if it does not apply. */
export const planIndexScan = (shape: Shape, { by, match }: OrderMatch): IndexScan | undefined => {
  const range = chooseRange(shape, by, shape.list.select);
  if (!range || match !== 'exact' || shape.words > 0) return undefined;
  const { index, boundingFilters } = range;
  if (otherFilters(shape, boundingFilters).length > 0) return undefined;
  return { kind: 'index scan', index, boundingFilters, canShareConnection: readsOneEntryPerRow(shape, range) };
};

/** Returns the statement of an index scan. */
export const indexScan = (shape: Shape, scan: IndexScan): Sql => {
  const { list } = shape;
  // PostgreSQL's plan depends on the limit, so the statement has the same limit for all page sizes.
  const rows = readRange(shape, scan, sql`*`, MAX_PAGE_ROWS);
  return sql`${withHeader(list, sql`(select ${shownColumns(list)} from (${rows}) u)`)} ${limitToResult(list)}`;
};

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
export interface BoundedScan extends IndexRange {
  readonly kind: 'bounded scan';
  readonly reads: Reads;
  readonly limit: number;
  /** Whether it reads few enough rows to share a connection with other statements. */
  readonly canShareConnection: boolean;
}

/** Plans a bounded scan. Returns undefined if it does not apply. */
export const planBoundedScan = (
  shape: Shape,
  { by, match }: OrderMatch,
  { limit, isShort = false }: { readonly limit: number; readonly isShort?: boolean },
): BoundedScan | undefined => {
  const range = chooseRange(shape, by, shape.list.select);
  if (!range || match !== 'exact') return undefined;
  return { kind: 'bounded scan', ...range, limit, canShareConnection: isShort && readsOneEntryPerRow(shape, range) };
};

/** Returns the statement of a bounded scan. */
export const boundedScan = (shape: Shape, scan: BoundedScan): Sql => {
  const { list } = shape;
  const { boundingFilters, reads, limit } = scan;
  const met = checks(shape, otherFilters(shape, boundingFilters));
  const read = reads === 'index and page' ? column('id') : sql`*`;
  const scanned = readRange(shape, scan, sql`${read}, ${met} as met`, limit);
  // Reads one entry more than `scanned`. If that entry exists, the limit is exceeded.
  const oneMore = readRange(shape, scan, sql`true`, limit + 1);
  const rows =
    reads === 'index and page'
      ? sql`(select id from (${scanned}) u where met) page cross join ${rowsOfPage(list)}`
      : sql`(${scanned}) u where met`;
  // PostgreSQL runs the parts of UNION ALL in order, and stops at the LIMIT of the statement: the page and one more
  // item. So the part with the limit row runs only if the scan finds no item after the page.
  const found = sql`(select ${shownColumns(list)} from ${rows}) union all
    (select ${limitRow(list)} from (${oneMore}) scanned offset ${sql.lit(limit)})`;
  return sql`${withHeader(list, found)} ${limitToResult(list)}`;
};
