import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions } from './conditions.ts';
import { alongIndex, indexCondition } from './keyset.ts';
import { chooseIndex, type ListScope, type ListTable, orderIndexes } from './list.ts';
import { checkedColumns, type FilterPlaces, type OrderMatch, otherFilters, rangeFilters, type Shape } from './shape.ts';
import { sortedColumns, sortedPage } from './sorted-page.ts';
import { column, inScope, type Sql } from './statements.ts';

/**
 * Full sort: reads up to `limit` rows of the list, and sorts those that meet the conditions.
 *
 * - Applies to an order that no index has (`groups`), or of which an index has only the first field (`last_name,first_name`).
 * - Reads up to `limit` + 1 entries of an index and as many rows, and sorts as many. It reads no row but those of the page where
 *   the index has what the conditions and the order need.
 * - Is correct if the list has no more than `limit` rows. If it has more, and rows were read in the order of the first field,
 *   all rows before the value of the last one read are known, and may fill the page. Otherwise the page is not complete, and the
 *   result ends with a limit row.
 */
export interface FullSort<Field extends string = string> {
  readonly kind: 'full sort';
  readonly index: Index;
  /** The field in whose order rows are read. */
  readonly by: Field;
  /** The filters that bound the range of its index. */
  readonly filters: FilterPlaces;
  /** Whether the order of the list begins with that field. */
  readonly isPresorted: boolean;
  readonly limit: number;
}

/** Plans a full sort; undefined where an index has the order. */
export const planFullSort = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { by, match }: OrderMatch<Field>,
  limit: number,
): FullSort<Field> | undefined => {
  if (match === 'exact') return undefined;
  const filters = rangeFilters(list, scope, shape, by);
  const order = [...shape.order.map(({ field }) => list.columns[field]), list.columns[by]];
  const checked = [...checkedColumns(list, shape, otherFilters(shape, filters)), ...order];
  const chosen = chooseIndex(orderIndexes(list, scope, by), checked, []);
  return chosen && { kind: 'full sort', index: chosen.index, by, filters, isPresorted: match === 'presorted', limit };
};

/** The shape of the rows in the order of one field, beginning with the value that the cursor has there. */
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
  { index, by, filters, isPresorted, limit }: FullSort<Field>,
): Sql => {
  const met = checks(list, shape, otherFilters(shape, filters));
  const read = alongIndex(list, inOrderOf(shape, by, isPresorted), {
    columns: sortedColumns(list, shape, met),
    where: [inScope(scope), ...indexCondition(index), ...filterConditions(list, shape, filters)],
    limit: limit + 1,
  });
  const first = list.columns[by];
  const isBeforeLast = sql`${column(first)} is distinct from
    (select ${sql.ref(first)} from rows_read offset ${sql.lit(limit)} limit 1)`;
  return sortedPage(list, shape, { read, limit, ...(isPresorted ? { certain: isBeforeLast } : {}) });
};
