import { listRules } from '@chapter/domain';
import { sql } from 'kysely';
import { keyset } from './keyset.ts';
import type { ListTable } from './list.ts';
import type { Shape } from './shape.ts';
import { allOf, column, limitRow, limitToPage, rowsOfPage, type Sql, shownColumns, withHeader } from './statements.ts';

/** How many rows the largest page needs: one more than it has tells whether another page follows. */
export const MAX_PAGE = listRules.maxSize + 1;

/** Returns the columns to sort by, and `met`, the result of the conditions. Whole rows would not fit into the sort's memory. */
export const sortedColumns = <Field extends string>(list: ListTable<Field>, { order }: Shape<Field>, met: Sql): Sql =>
  sql`${sql.join(order.map(({ field }) => column(list.columns[field])))}, ${met} as met`;

/** What a sorted page is made of. */
interface SortedRows {
  /** Reads the rows with their {@link sortedColumns}. */
  readonly read: Sql;
  /** Whether the statement read all rows, so that the page can have all that `read` found. */
  readonly isWhole: Sql;
  /** Otherwise it has those whose place in the list is known. */
  readonly isPlaced?: Sql;
  /** Another query that these conditions need, as `name as materialized (…)`. */
  readonly other?: Sql;
}

/** The condition that `rows_read` has up to `limit` rows. */
export const hasAtMost = (limit: number): Sql => sql`(select count(*) <= ${sql.lit(limit)} from rows_read)`;

/**
 * Returns a statement that sorts the rows of `read`, `rows_read`, and takes the page from those that meet the conditions. A limit
 * row ends the result if the statement did not read all rows.
 */
export const sortedPage = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  { read, isWhole, isPlaced = sql`false`, other }: SortedRows,
): Sql => {
  const { conditions, orderBy } = keyset(list, shape);
  const page = sql`select u.id from rows_read u
    where met and (${isWhole} or ${isPlaced}) and ${allOf(conditions)} order by ${orderBy} limit ${sql.lit(MAX_PAGE)}`;
  const shown = sql`(select ${shownColumns(list)}
      from (select id from (${page}) page ${limitToPage}) page cross join ${rowsOfPage(list)} order by ${orderBy})
    union all (select ${limitRow(list)} where not ${isWhole})`;
  const queries = [sql`rows_read as materialized (${read})`, ...(other ? [other] : [])];
  return sql`with ${sql.join(queries)} ${withHeader(list, shown)}`;
};
