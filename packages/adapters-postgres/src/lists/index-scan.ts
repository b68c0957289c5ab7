import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { filterConditions } from './conditions.ts';
import { indexCondition, readAlongIndex } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes } from './list.ts';
import {
  checkedColumns,
  type FilterPositions,
  type OrderMatch,
  otherFilters,
  rangeFilters,
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
 *   cursor and a filter, it may also read index entries that are not on the page, but not their rows: entries with the cursor's
 *   first value, and entries between the bound of the filter and a forged cursor.
 * - Is correct because the range has all rows of the list in their order. The first ones after the cursor are the page.
 */
export interface IndexScan {
  readonly kind: 'index scan';
  readonly index: Index;
  /** The filters that bound the range. */
  readonly filters: FilterPositions;
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
  const filters = rangeFilters(list, scope, shape, by);
  if (match !== 'exact' || shape.words > 0 || otherFilters(shape, filters).length > 0) return undefined;
  const order = shape.order.map(({ field }) => list.columns[field]);
  const chosen = chooseIndex(
    orderIndexes(list, scope, by),
    [...checkedColumns(list, shape, []), ...order],
    list.select,
  );
  if (!chosen) return undefined;
  const { index } = chosen;
  return { kind: 'index scan', index, filters, canShareConnection: readsOneEntryPerRow(list, shape, index, filters) };
};

/** Returns the statement of an index scan. */
export const indexScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, filters }: IndexScan,
): Sql => {
  const where = [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, filters)];
  // The plan depends on the limit, so it is the same for all page sizes.
  const rows = readAlongIndex(list, shape, { columns: sql`*`, where, limit: MAX_PAGE_ROWS });
  return sql`${withHeader(list, sql`(select ${shownColumns(list)} from (${rows}) u)`)} ${limitToResult(list)}`;
};
