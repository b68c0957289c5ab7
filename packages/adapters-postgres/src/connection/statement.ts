import {
  AliasNode,
  ColumnNode,
  type Compilable,
  type Expression,
  IdentifierNode,
  type OperationNode,
  ReferenceNode,
  type RootOperationNode,
  sql,
} from 'kysely';
import type { Client } from 'pg';
import { preparedOn } from './prepared-statements.ts';

/** SQL with parameters. */
export interface Statement {
  /** The name under which each connection prepares it on first use and keeps it. Only for a fixed number of statements. */
  readonly name?: string;
  readonly text: string;
  /**
   * Whether one plan of PostgreSQL serves all values, so that a connection prepares the text when it is used again. Connections
   * keep only the most recently used texts, so there may be any number of them. No effect with a name.
   */
  readonly isReusable?: boolean;
  /** Whether it takes little time with any values, so that other statements may wait for it. */
  readonly canShareConnection?: boolean;
  /** Whether it changes no data, so that it may be sent along with a BEGIN that may fail. It may lock rows. */
  readonly isReadOnly?: boolean;
}

/** Runs statements: the pool, each on any connection, or the one connection of a transaction. */
export interface Runner {
  /** Returns the rows, each as an array of its columns: objects by column name would double the cost of a read. */
  query<Row extends readonly unknown[] = readonly []>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/**
 * Runs a statement on a connection. Uses the driver's callback: with its promise, rows survive two more garbage
 * collections.
 *
 * @throws the database's own errors.
 */
export const runOn = <Row extends readonly unknown[]>(
  client: Client,
  { name: fixedName, text, isReusable = false }: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    const statements = isReusable && fixedName === undefined ? preparedOn(client) : undefined;
    const prepared = statements?.begin(text);
    const name = fixedName ?? prepared?.name;
    const query = { ...(name === undefined ? {} : { name }), text, rowMode: 'array' as const, values: [...values] };
    client.query(query, (error, result) => {
      if (prepared) statements?.end(prepared);
      if (error) {
        reject(error);
        return;
      }
      const rows: readonly unknown[] = result.rows;
      resolve(rows as readonly Row[]);
    });
  });

/** The parameters of a statement, each as an expression with the type of its value. */
export type Parameters<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> };

/** Returns the parameters whose names are in `columns`. */
export const pickParameters = <Values, Column extends keyof Values>(
  parameters: Parameters<Values>,
  columns: readonly Column[],
): Parameters<Pick<Values, Column>> =>
  Object.fromEntries(columns.map((column) => [column, parameters[column]])) as Parameters<Pick<Values, Column>>;

// pg reads arrays of an enum and 64-bit integers as text. Statements select no other arrays.
type AsRead<Value> = Value extends bigint | readonly unknown[] ? string : Value;

/** A row as an array of its columns, with the types that pg returns. */
export type Row<Selected, Columns extends readonly (keyof Selected)[]> = {
  readonly [At in keyof Columns]: AsRead<Selected[Columns[At]]>;
};

/** A statement that is compiled once, and prepared on each connection if it has a name. */
export interface FixedStatement<Values, Rows extends readonly unknown[]> {
  readonly statement: Statement;
  /** @throws the errors of the runner. */
  readonly run: (runner: Runner, values: Values) => Promise<readonly Rows[]>;
  /** Sends it in a transaction without waiting for the response. */
  readonly send: (tx: Sender, values: Values) => void;
}

interface Sender {
  send(statement: Statement, values: readonly unknown[]): void;
}

interface Options<Columns> extends Pick<Statement, 'isReadOnly'> {
  /** The names of the selected columns in order; omitted if no column is read. */
  readonly columns?: Columns;
}

const nameOf = (node: OperationNode): string | undefined => {
  if (AliasNode.is(node)) return IdentifierNode.is(node.alias) ? node.alias.name : undefined;
  if (ReferenceNode.is(node)) return nameOf(node.column);
  return ColumnNode.is(node) ? node.column.name : undefined;
};

const selectedBy = (query: RootOperationNode): readonly (string | undefined)[] => {
  const selections =
    'selections' in query ? query.selections : 'returning' in query ? query.returning?.selections : undefined;
  return (selections ?? []).map(({ selection }) => nameOf(selection));
};

/**
 * Compiles a statement that Kysely builds. `build` gets the parameters by name. Rows are arrays in the order of `columns`,
 * because objects by column name would double the cost of a read.
 *
 * @throws Error when `columns` differ from the columns that the statement selects.
 */
export const defineStatement = <Values, Selected, const Columns extends readonly (keyof Selected & string)[] = []>(
  name: string | undefined,
  build: (parameters: Parameters<Values>) => Compilable<Selected>,
  { columns, isReadOnly = false }: Options<Columns> = {},
): FixedStatement<Values, Row<Selected, Columns>> => {
  const names = new Map<unknown, keyof Values>();
  const parameters = new Proxy({} as Parameters<Values>, {
    get: (_, parameter: string) => {
      const placeholder = { parameter };
      names.set(placeholder, parameter as keyof Values & string);
      return sql`${placeholder}`;
    },
  });
  const { query, sql: text, parameters: given } = build(parameters).compile();
  const selected = selectedBy(query).join(', ');
  if (columns && selected !== columns.join(', ')) {
    throw new Error(`statement ${name} selects ${selected} instead of ${columns.join(', ')}`);
  }
  const sources = given.map((value) => {
    const parameter = names.get(value);
    return parameter === undefined ? () => value : (values: Values): unknown => values[parameter];
  });
  const valuesOf = (values: Values): readonly unknown[] => sources.map((source) => source(values));
  const statement: Statement = { text, isReadOnly, ...(name === undefined ? {} : { name }) };
  return {
    statement,
    run: (runner, values) => runner.query(statement, valuesOf(values)),
    send: (tx, values) => tx.send(statement, valuesOf(values)),
  };
};
