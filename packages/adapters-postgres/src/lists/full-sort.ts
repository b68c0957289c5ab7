import { sql } from 'kysely';
import { checks } from './conditions.ts';
import { keyset, readRange } from './keyset.ts';
import type { ListColumn } from './list.ts';
import { chooseRange, type IndexRange, inOrderOfColumn, type OrderMatch, otherFilters, type Shape } from './shape.ts';
import {
  allOf,
  column,
  limitRow,
  limitToPage,
  MAX_PAGE_ROWS,
  rowsOfPage,
  type Sql,
  shownColumns,
  withHeader,
} from './statements.ts';

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
export interface FullSort extends IndexRange {
  readonly kind: 'full sort';
  readonly by: ListColumn;
  /** Whether the order of the page starts with the column `by`. */
  readonly isPresorted: boolean;
  readonly limit: number;
}

/** Plans a full sort. Returns undefined if an index has the order. */
export const planFullSort = (shape: Shape, { by, match }: OrderMatch, limit: number): FullSort | undefined => {
  const range = chooseRange(shape, by, []);
  if (!range || match === 'exact') return undefined;
  const { index, boundingFilters } = range;
  return { kind: 'full sort', index, by, boundingFilters, isPresorted: match === 'presorted', limit };
};

/** Returns the shape with the order of one column only, starting at the cursor's value of this column. */
const inOrderOf = (shape: Shape, { by, isPresorted }: FullSort): Shape => {
  if (!isPresorted) return inOrderOfColumn(shape, by);
  const { order, position } = shape;
  return { ...shape, order: order.slice(0, 1), position: position && { ...position, inclusive: true } };
};

/** Returns the statement of a full sort. */
export const fullSort = (shape: Shape, strategy: FullSort): Sql => {
  const { by, boundingFilters, isPresorted, limit } = strategy;
  const met = checks(shape, otherFilters(shape, boundingFilters));
  const inOrder = inOrderOf(shape, strategy);
  const rows = (columns: Sql, limitOfRows: number): Sql => readRange(inOrder, strategy, columns, limitOfRows);
  const sorted = sortedColumns(shape, met);
  if (!isPresorted) return sortedPage(shape, { read: rows(sorted, limit + 1), isWhole: hasAtMost(limit) });
  // PostgreSQL stops at the first row whose rank is too high: all rows that a page can have come before it. The frame does not
  // affect the rank, but with the default frame, PostgreSQL 15 also reads the rows that share that row's value.
  const read = sql`select * from (
      select *, rank() over (order by ${keyset(inOrder).orderBy} rows unbounded preceding) as rank
      from (${rows(sorted, limit)}) u where met and ${allOf(keyset(shape).conditions)}
    ) u where rank <= ${sql.lit(MAX_PAGE_ROWS)}`;
  const first = column(by.name);
  return sortedPage(shape, {
    read,
    isWhole: sql`not exists (select from unread)`,
    hasFinalPosition: sql`${first} is distinct from (select u.* from unread u)`,
    // The value of the first row that the limit leaves out: other rows with this value may be left out too.
    otherQuery: sql`unread as materialized (select * from (${rows(first, limit + 1)}) u offset ${sql.lit(limit)})`,
  });
};

/** Returns the columns to sort by, and `met`, the result of the conditions. Whole rows would not fit into the sort's memory. */
export const sortedColumns = ({ order }: Shape, met: Sql): Sql =>
  sql`${sql.join(order.map((step) => column(step.column.name)))}, ${met} as met`;

interface SortedRows {
  /** Reads the rows with their {@link sortedColumns}. */
  readonly read: Sql;
  /** Whether the limit is not exceeded, so that the page can have any of these rows. */
  readonly isWhole: Sql;
  /** Whether all unread rows come after a row. If rows are unread, the page has only rows that meet this condition. */
  readonly hasFinalPosition?: Sql;
  /** Another query that these conditions need, as `name as materialized (…)`. */
  readonly otherQuery?: Sql;
}

/** The condition that `rows_read` has up to `limit` rows. */
export const hasAtMost = (limit: number): Sql => sql`(select count(*) <= ${sql.lit(limit)} from rows_read)`;

/**
 * Returns a statement that sorts the rows of `read` (`rows_read` in SQL) and takes the page from those that meet the
 * conditions. A limit row ends the result if the limit is exceeded.
 */
export const sortedPage = (shape: Shape, { read, isWhole, hasFinalPosition = sql`false`, otherQuery }: SortedRows) => {
  const { list } = shape;
  const { conditions, orderBy } = keyset(shape);
  const page = sql`select u.id from rows_read u
    where met and (${isWhole} or ${hasFinalPosition}) and ${allOf(conditions)} order by ${orderBy} limit ${sql.lit(MAX_PAGE_ROWS)}`;
  const shown = sql`(select ${shownColumns(list)}
      from (select id from (${page}) page ${limitToPage}) page cross join ${rowsOfPage(list)} order by ${orderBy})
    union all (select ${limitRow(list)} where not ${isWhole})`;
  const queries = [sql`rows_read as materialized (${read})`, ...(otherQuery ? [otherQuery] : [])];
  return sql`with ${sql.join(queries)} ${withHeader(list, shown)}`;
};
