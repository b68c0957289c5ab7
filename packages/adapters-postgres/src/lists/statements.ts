import type { ListQuery } from '@chapter/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../connection/statement.ts';
import { db } from '../schema/tables.ts';
import type { ListScope, ListTable } from './list.ts';

/** A piece of SQL. It is made from the shape of a query, so that no value of a caller can get into its text. */
export type Sql = RawBuilder<unknown>;

/** Where the values of a statement come from. */
export interface ListInput {
  readonly scope: ListScope;
  readonly query: ListQuery<string>;
}

interface Placeholder {
  readonly valueFrom: (input: ListInput) => unknown;
}

/** A parameter of a statement, whose value each run takes from its input. */
export const parameter = (valueFrom: Placeholder['valueFrom']): Sql => {
  const placeholder: Placeholder = { valueFrom };
  return sql`${placeholder}`;
};

/** A statement with the function that takes its values from an input. */
export interface ListStatement {
  readonly statement: Statement;
  readonly valuesOf: (input: ListInput) => readonly unknown[];
}

/** Compiles a statement. `isBrief`: other statements can wait for it on the same connection. */
export const compile = (query: Sql, isBrief: boolean): ListStatement => {
  const { sql: text, parameters } = query.compile(db);
  const placeholders = parameters as readonly Placeholder[];
  return {
    statement: { text, isBrief, isReusable: true },
    valuesOf: (input) => placeholders.map(({ valueFrom }) => valueFrom(input)),
  };
};

/** Returns a function that makes each value once by its key, as long as the key is among the `size` most recently used ones. */
export const makeCache = <Value>(size: number) => {
  const values = new Map<string, Value>();
  return (key: string, make: () => Value): Value => {
    const value = values.get(key) ?? make();
    // A Map iterates in the order of insertion, so its first key is the least recently used one.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.size > size ? values.keys() : [];
    if (oldest !== undefined) values.delete(oldest);
    return value;
  };
};

/** A column of the row that a statement reads, `u`. */
export const column = (name: string): Sql => sql.ref(`u.${name}`);

/** Joins conditions with AND. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** Joins conditions with OR. */
export const anyOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;

/** The division of the scope. The planner does not see it, so that one plan serves small and large divisions. */
export const divisionId = (type: 'uuid' | 'text'): Sql =>
  sql`(select ${parameter(({ scope }) => (scope === 'all' ? null : scope.divisionId))}::${sql.raw(type)})`;

/** Limits a statement to the scope. */
export const inScope = (scope: ListScope): Sql =>
  scope === 'all' ? sql`true` : sql`${column('division_id')} = ${divisionId('uuid')}`;

/**
 * What a result has of a row: the columns that a page shows, null in the column of the header row, and false in the last one,
 * which is true in a {@link limitRow} only.
 */
export const shownColumns = ({ select, hasHeader }: ListTable<string>): Sql =>
  sql.join([...select.map(column), ...(hasHeader ? [sql`null`] : []), sql`false`]);

const nulls = ({ select }: ListTable<string>): readonly Sql[] => select.map(() => sql`null`);

/** The last row of a result whose statement reached its limit. It has no id. */
export const limitRow = (list: ListTable<string>): Sql =>
  sql.join([...nulls(list), ...(list.hasHeader ? [sql`null`] : []), sql`true`]);

/** Puts the header row, which has no id, before the rows. */
export const withHeader = (list: ListTable<string>, rows: Sql): Sql => {
  if (!list.hasHeader) return rows;
  const header = sql.join([...nulls(list), sql`d.name`, sql`false`]);
  return sql`(select ${header} from division d where d.id = ${divisionId('uuid')}) union all ${rows}`;
};

// The planner does not see the limit: a plan for the very page size would look cheaper, and would be made for each run.
const rowLimit = (limitOf: (size: number) => number): Sql =>
  sql`limit (select ${parameter(({ query }) => limitOf(query.size))}::int)`;

/** Limits to one row more than the page has, which tells whether another page follows. */
export const limitToPage: Sql = rowLimit((size) => size + 1);

/** The same for a result with its header row. */
export const limitToResult = ({ hasHeader }: ListTable<string>): Sql =>
  hasHeader ? rowLimit((size) => size + 2) : limitToPage;

/** Reads the rows of the ids in `page` one by one. `offset 0` keeps PostgreSQL from reading the whole division instead. */
export const rowsOfPage = ({ table }: ListTable<string>): Sql =>
  sql`lateral (select * from ${sql.table(table)} u where u.id = page.id offset 0) u`;
