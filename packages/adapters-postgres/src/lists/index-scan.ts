import { listRules } from '@chapter/domain';
import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { filterConditions } from './conditions.ts';
import { alongIndex, indexCondition } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes } from './list.ts';
import {
  checkedColumns,
  type FilterPlaces,
  type OrderMatch,
  otherFilters,
  rangeFilters,
  readsRowByRow,
  type Shape,
} from './shape.ts';
import { inScope, limitToResult, type Sql, shownColumns, withHeader } from './statements.ts';

/**
 * Index scan: reads the rows of the page, and no other.
 *
 * - Applies to an order that an index has, without words, and with no filters but those that bound the range of that index
 *   (`birthdate__gte=1990-01-01&ordering=birthdate`).
 * - Reads `page_size` + 1 entries of the index, and as many rows where the index does not have all that is shown.
 * - Is correct because the entries of the range are the list in its order: the first ones after the cursor are the page.
 */
export interface IndexScan {
  readonly kind: 'index scan';
  readonly index: Index;
  /** The filters that bound the range. */
  readonly filters: FilterPlaces;
  /** Whether other statements can wait for it on the same connection. */
  readonly isBrief: boolean;
}

/** In the text of statements, because a plan depends on it. It is the same for every page size. */
const MAX_PAGE = listRules.maxSize + 1;

/** Plans an index scan; undefined where it does not apply. */
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
  return { kind: 'index scan', index, filters, isBrief: readsRowByRow(list, shape, index, filters) };
};

/** Returns the statement of an index scan. */
export const indexScan = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, filters }: IndexScan,
): Sql => {
  const where = [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, filters)];
  const rows = alongIndex(list, shape, { columns: sql`*`, where, limit: MAX_PAGE });
  return sql`${withHeader(list, sql`(select ${shownColumns(list)} from (${rows}) u)`)} ${limitToResult(list)}`;
};
