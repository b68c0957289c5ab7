import { listRules } from '@chapter/domain';
import { sql } from 'kysely';
import { keyset } from './keyset.ts';
import type { ListTable } from './list.ts';
import type { Shape } from './shape.ts';
import { allOf, column, limitRow, limitToPage, rowsOfPage, type Sql, shownColumns, withHeader } from './statements.ts';

const MAX_PAGE = listRules.maxSize + 1;

/** Returns the columns that a sort keeps of each row: whole rows would not fit into its memory. `met` are the conditions. */
export const sortedColumns = <Field extends string>(list: ListTable<Field>, { order }: Shape<Field>, met: Sql): Sql =>
  sql`${sql.join(order.map(({ field }) => column(list.columns[field])))}, ${met} as met`;

/**
 * Sorts the rows of `read`, which has up to `limit` + 1 of them, and takes the page from those that meet the conditions. Where
 * `read` reached its limit, the page has only the rows that are `certain`, and a limit row ends the result.
 */
export const sortedPage = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  { read, limit, certain = sql`false` }: { readonly read: Sql; readonly limit: number; readonly certain?: Sql },
): Sql => {
  const { conditions, orderBy } = keyset(list, shape);
  const isWhole = sql`(select count(*) <= ${sql.lit(limit)} from rows_read)`;
  const page = sql`select u.id from rows_read u
    where met and (${isWhole} or ${certain}) and ${allOf(conditions)} order by ${orderBy} limit ${sql.lit(MAX_PAGE)}`;
  const shown = sql`(select ${shownColumns(list)}
      from (select id from (${page}) page ${limitToPage}) page cross join ${rowsOfPage(list)} order by ${orderBy})
    union all (select ${limitRow(list)} where not ${isWhole})`;
  return sql`with rows_read as materialized (${read}) ${withHeader(list, shown)}`;
};
