import type { ExportQuery, ListQuery } from '@chapter/domain';
import { sql } from 'kysely';
import { checks } from './conditions.ts';
import { keyset } from './keyset.ts';
import type { ListScope, ListTable } from './list.ts';
import { shapeOf } from './shape.ts';
import { allOf, compile, inScope, shownColumns, withHeader } from './statements.ts';

/** A statement for one execution. */
interface BoundStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Returns the statement that reads all matching rows, in their order. It has the scope, conditions and order of a page, and no
 * limit. It may read the whole scope, so any plan of PostgreSQL is acceptable.
 */
export const wholeList = <Field extends string, Shown extends Field>(
  list: ListTable<Field>,
  scope: ListScope,
  requested: ExportQuery<Shown>,
): BoundStatement => {
  const query: ListQuery<Shown> = { ...requested, size: 1, position: null, counted: false };
  const shape = shapeOf<Field>(list, query);
  const conditions = allOf([inScope(scope), checks(list, shape, [...shape.filters.keys()])]);
  const rows = sql`(select ${shownColumns(list)} from ${sql.table(list.table)} u
    where ${conditions} order by ${keyset(list, shape).orderBy})`;
  // PostgreSQL runs the parts of a UNION ALL in order, so the header row comes first.
  const { statement, valuesOf } = compile(withHeader(list, rows), false);
  return { text: statement.text, values: valuesOf({ scope, query }) };
};
