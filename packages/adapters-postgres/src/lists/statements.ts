import { listRules } from '@chapter/domain/ports';
import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../connection/statement.ts';
import { db } from '../schema/tables.ts';
import type { ListTable } from './list.ts';
import type { ListInput } from './shape.ts';

/** A fragment of SQL. It depends on the shape of a query only, so values of a caller cannot get into its text. */
export type Sql = RawBuilder<unknown>;

interface Placeholder {
  readonly valueFrom: (input: ListInput) => unknown;
}

/** Makes a parameter whose value each run takes from its input. */
export const parameter = (valueFrom: Placeholder['valueFrom']): Sql => {
  const placeholder: Placeholder = { valueFrom };
  return sql`${placeholder}`;
};

/** A statement with the function that takes its values from an input. */
export interface ListStatement {
  readonly statement: Statement;
  readonly valuesOf: (input: ListInput) => readonly unknown[];
}

/** Compiles a statement. `canShareConnection` tells whether it can share a connection with other statements. */
export const compile = (query: Sql, canShareConnection: boolean): ListStatement => {
  const { sql: text, parameters } = query.compile(db);
  const placeholders = parameters as readonly Placeholder[];
  return {
    statement: { text, canShareConnection, isReusable: true },
    valuesOf: (input) => placeholders.map(({ valueFrom }) => valueFrom(input)),
  };
};

/** Returns a reference to a column of the row `u` that a statement reads. */
export const column = (name: string): Sql => sql.ref(`u.${name}`);

/** Joins conditions with AND. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** Joins conditions with OR. */
export const someOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;

/** Returns the list's division. A subquery hides it from the planner, so that PostgreSQL's plan serves all sizes. */
export const divisionId = (type: 'uuid' | 'text'): Sql =>
  sql`(select ${parameter((input) => input.divisionId)}::${sql.raw(type)})`;

/** Returns the condition that a row is in the list. */
export const inList = ({ isOfDivision }: ListTable): Sql =>
  isOfDivision ? sql`${column('division_id')} = ${divisionId('uuid')}` : sql`true`;

/**
 * Returns the columns of a result row: the columns that the page shows, null in the header's column, and false in the
 * last column. The last column is true in a {@link limitRow} only.
 */
export const shownColumns = ({ select, hasHeader }: ListTable): Sql =>
  sql.join([...select.map(column), ...(hasHeader ? [sql`null`] : []), sql`false`]);

const nulls = ({ select }: ListTable): readonly Sql[] => select.map(() => sql`null`);

/** Returns the columns of the limit row, which ends a result whose statement exceeded its limit. It has no id. */
export const limitRow = (list: ListTable): Sql =>
  sql.join([...nulls(list), ...(list.hasHeader ? [sql`null`] : []), sql`true`]);

/** Puts the header row, which has no id, before the rows. */
export const withHeader = (list: ListTable, rows: Sql): Sql => {
  if (!list.hasHeader) return rows;
  const header = sql.join([...nulls(list), sql`d.name`, sql`false`]);
  return sql`(select ${header} from division d where d.id = ${divisionId('uuid')}) union all ${rows}`;
};

// A subquery hides the limit from the planner. Otherwise PostgreSQL would estimate that a plan for the exact page size
// is cheaper, and plan each run instead of reusing its plan for all values.
const rowLimit = (limitOf: (size: number) => number): Sql =>
  sql`limit (select ${parameter(({ query }) => limitOf(query.size))}::int)`;

/** How many rows the largest page reads: the extra row shows whether another page follows. */
export const MAX_PAGE_ROWS = listRules.maxSize + 1;

/** Limits a result to one row more than the page, which shows whether another page follows. */
export const limitToPage: Sql = rowLimit((size) => size + 1);

/** Limits a result in the same way, but allows one more row if it has a header row. */
export const limitToResult = ({ hasHeader }: ListTable): Sql =>
  hasHeader ? rowLimit((size) => size + 2) : limitToPage;

/** Returns a join that reads the rows of `page` by id. `offset 0` keeps PostgreSQL from reading the whole division. */
export const rowsOfPage = ({ table }: ListTable): Sql =>
  sql`lateral (select * from ${sql.table(table)} u where u.id = page.id offset 0) u`;
