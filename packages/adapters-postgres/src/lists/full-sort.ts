import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions } from './conditions.ts';
import { indexCondition, keyset, readAlongIndex } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes } from './list.ts';
import {
  boundingFiltersOf,
  checkedColumns,
  type FilterPositions,
  type OrderMatch,
  otherFilters,
  type Shape,
} from './shape.ts';
import { hasAtMost, MAX_PAGE_ROWS, sortedColumns, sortedPage } from './sorted-page.ts';
import { allOf, column, inScope, type Sql } from './statements.ts';

/**
 * Full sort: reads up to `limit` + 1 rows of a range of an index, and sorts the matching rows.
 *
 * - Applies to an order that no index has (`groups`), or of which an index has only the first field (`last_name,first_name`).
 * - Reads up to `limit` + 1 entries of the range and as many rows, and sorts as many. If the index has all columns of the
 *   conditions and the order, it reads only the rows of the page. If an index has the first field, it stops at the first row
 *   that comes after every row of the largest page. It then reads up to `limit` + 1 entries again, to find the first unread row.
 * - Is correct if the range has no more than `limit` rows. Otherwise the result ends with a limit row. If an index has the first
 *   field, the page then has only rows whose first value comes before that of the first unread row, because all rows with such a
 *   value were read.
 */
export interface FullSort<Field extends string = string> {
  readonly kind: 'full sort';
  readonly index: Index;
  /** The field that determines the order of reading. */
  readonly by: Field;
  /** The filters that bound the range of its index. */
  readonly boundingFilters: FilterPositions;
  /** Whether the order of the page starts with the field `by`. */
  readonly isPresorted: boolean;
  readonly limit: number;
}

/** Plans a full sort. Returns undefined if an index has the order. */
export const planFullSort = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { by, match }: OrderMatch<Field>,
  limit: number,
): FullSort<Field> | undefined => {
  if (match === 'exact') return undefined;
  const boundingFilters = boundingFiltersOf(list, scope, shape, by);
  const order = [...shape.order.map(({ field }) => list.columns[field]), list.columns[by]];
  const checked = [...checkedColumns(list, shape, otherFilters(shape, boundingFilters)), ...order];
  const chosen = chooseIndex(orderIndexes(list, scope, by), checked, []);
  const isPresorted = match === 'presorted';
  return chosen && { kind: 'full sort', index: chosen.index, by, boundingFilters, isPresorted, limit };
};

/** Returns the shape with the order of one field only, starting at the cursor's value of this field. */
const inOrderOf = <Field extends string>(shape: Shape<Field>, by: Field, isPresorted: boolean): Shape<Field> => {
  if (!isPresorted) return { ...shape, order: [{ field: by, descending: false }], position: null };
  const { position } = shape;
  return {
    ...shape,
    order: shape.order.slice(0, 1),
    position: position && { ...position, inclusive: true, nulls: position.nulls.slice(0, 1) },
  };
};

/** Returns the statement of a full sort. */
export const fullSort = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, by, boundingFilters, isPresorted, limit }: FullSort<Field>,
): Sql => {
  const met = checks(list, shape, otherFilters(shape, boundingFilters));
  const inOrder = inOrderOf(shape, by, isPresorted);
  const where = [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, boundingFilters)];
  const rows = (columns: Sql, limitOfRows: number): Sql =>
    readAlongIndex(list, inOrder, { columns, where, limit: limitOfRows });
  const sorted = sortedColumns(list, shape, met);
  if (!isPresorted) return sortedPage(list, shape, { read: rows(sorted, limit + 1), isWhole: hasAtMost(limit) });
  // PostgreSQL stops at the first row whose rank is too high: all rows that a page can have come before it. The frame does not
  // affect the rank, but with the default frame, PostgreSQL 15 also reads the rows that share that row's value.
  const read = sql`select * from (
      select *, rank() over (order by ${keyset(list, inOrder).orderBy} rows unbounded preceding) as rank
      from (${rows(sorted, limit)}) u where met and ${allOf(keyset(list, shape).conditions)}
    ) u where rank <= ${sql.lit(MAX_PAGE_ROWS)}`;
  const first = column(list.columns[by]);
  return sortedPage(list, shape, {
    read,
    isWhole: sql`not exists (select from unread)`,
    hasFinalPosition: sql`${first} is distinct from (select u.* from unread u)`,
    // The value of the first row that the limit leaves out: other rows with this value may be left out too.
    otherQuery: sql`unread as materialized (select * from (${rows(first, limit + 1)}) u offset ${sql.lit(limit)})`,
  });
};
