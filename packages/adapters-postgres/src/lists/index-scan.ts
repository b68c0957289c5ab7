import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { filterConditions } from './conditions.ts';
import { indexCondition, readAlongIndex } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes } from './list.ts';
import {
  boundingFiltersOf,
  checkedColumns,
  type FilterPositions,
  type OrderMatch,
  otherFilters,
  readsOneEntryPerRow,
  type Shape,
} from './shape.ts';
import { MAX_PAGE_ROWS } from './sorted-page.ts';
import { inScope, limitToResult, type Sql, shownColumns, withHeader } from './statements.ts';

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
export interface IndexScan {
  readonly kind: 'index scan';
  readonly index: Index;
  /** The filters that bound the range. */
  readonly boundingFilters: FilterPositions;
  /** Whether it can share a connection with other statements. */
  readonly canShareConnection: boolean;
}

/** Plans an index scan. Returns undefined if it does not apply. */
export const planIndexScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { by, match }: OrderMatch<Field>,
): IndexScan | undefined => {
  const boundingFilters = boundingFiltersOf(list, scope, shape, by);
  if (match !== 'exact' || shape.words > 0 || otherFilters(shape, boundingFilters).length > 0) return undefined;
  const order = shape.order.map(({ field }) => list.columns[field]);
  const chosen = chooseIndex(
    orderIndexes(list, scope, by),
    [...checkedColumns(list, shape, []), ...order],
    list.select,
  );
  if (!chosen) return undefined;
  const { index } = chosen;
  const canShareConnection = readsOneEntryPerRow(list, shape, index, boundingFilters);
  return { kind: 'index scan', index, boundingFilters, canShareConnection };
};

/** Returns the statement of an index scan. */
export const indexScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, boundingFilters }: IndexScan,
): Sql => {
  const where = [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, boundingFilters)];
  // PostgreSQL's plan depends on the limit, so the statement has the same limit for all page sizes.
  const rows = readAlongIndex(list, shape, { columns: sql`*`, where, limit: MAX_PAGE_ROWS });
  return sql`${withHeader(list, sql`(select ${shownColumns(list)} from (${rows}) u)`)} ${limitToResult(list)}`;
};
