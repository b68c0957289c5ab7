import { listRules } from '@chapter/domain';
import { sql } from 'kysely';
import { keyset } from './keyset.ts';
import type { ListTable } from './list.ts';
import type { Shape } from './shape.ts';
import { allOf, column, limitRow, limitToPage, rowsOfPage, type Sql, shownColumns, withHeader } from './statements.ts';

/** How many rows the largest page reads: the extra row shows whether another page follows. */
export const MAX_PAGE_ROWS = listRules.maxSize + 1;

/** Returns the columns to sort by, and `met`, the result of the conditions. Whole rows would not fit into the sort's memory. */
export const sortedColumns = <Field extends string>(list: ListTable<Field>, { order }: Shape<Field>, met: Sql): Sql =>
  sql`${sql.join(order.map(({ field }) => column(list.columns[field])))}, ${met} as met`;

/** The queries and conditions of a sorted page. */
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
 * Returns a statement that sorts the rows of `read` (`rows_read` in SQL) and takes the page from those that meet the conditions.
 * A limit row ends the result if the limit is exceeded.
 */
export const sortedPage = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  { read, isWhole, hasFinalPosition = sql`false`, otherQuery }: SortedRows,
): Sql => {
  const { conditions, orderBy } = keyset(list, shape);
  const page = sql`select u.id from rows_read u
    where met and (${isWhole} or ${hasFinalPosition}) and ${allOf(conditions)} order by ${orderBy} limit ${sql.lit(MAX_PAGE_ROWS)}`;
  const shown = sql`(select ${shownColumns(list)}
      from (select id from (${page}) page ${limitToPage}) page cross join ${rowsOfPage(list)} order by ${orderBy})
    union all (select ${limitRow(list)} where not ${isWhole})`;
  const queries = [sql`rows_read as materialized (${read})`, ...(otherQuery ? [otherQuery] : [])];
  return sql`with ${sql.join(queries)} ${withHeader(list, shown)}`;
};
