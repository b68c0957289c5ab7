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
import type { PoolClient } from 'pg';
import { preparedOn } from './prepared-statements.ts';

/** SQL with parameters. */
export interface Statement {
  /** The name under which each connection prepares it with its first use and keeps it: for a fixed number of statements. */
  readonly name?: string;
  readonly text: string;
  /**
   * Whether a plan for any values serves all values, so that a connection prepares the text once it uses it again. It keeps
   * the most recently used texts only, so that there may be any number of them. No effect with a name.
   */
  readonly isReusable?: boolean;
  /** Whether it does little whatever its values are, so that others may wait behind it. */
  readonly isBrief?: boolean;
  /** Whether it changes nothing, so that it may be sent along with a BEGIN that may fail. Locks are no change. */
  readonly isReadOnly?: boolean;
}

/** Runs statements: the pool, each on any connection, or the one connection of a transaction. */
export interface Runner {
  /** The rows, each as the list of its columns: objects by column name cost as much again as the rest of a read. */
  query<Row extends readonly unknown[] = readonly []>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/**
 * Runs a statement on a connection of a pool. By a callback: with the driver's own promise, rows outlive two collections
 * of garbage.
 *
 * @throws the database's own errors.
 */
export const runOn = <Row extends readonly unknown[]>(
  client: PoolClient,
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

/** The parameters of a statement, each as an expression of the type of its value. */
export type Parameters<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> };

/** Returns some of the parameters, each under the name of the column that it is written to. */
export const pickParameters = <Values, Column extends keyof Values>(
  parameters: Parameters<Values>,
  columns: readonly Column[],
): Parameters<Pick<Values, Column>> =>
  Object.fromEntries(columns.map((column) => [column, parameters[column]])) as Parameters<Pick<Values, Column>>;

// pg parses neither arrays of an enum nor 64-bit integers. No statement reads another array.
type AsRead<Value> = Value extends bigint | readonly unknown[] ? string : Value;

/** A row as the list of its columns, as pg reads them. */
export type Row<Selected, Columns extends readonly (keyof Selected)[]> = {
  readonly [At in keyof Columns]: AsRead<Selected[Columns[At]]>;
};

/** A statement that is compiled once and prepared by its name on each connection. */
export interface FixedStatement<Values, Rows extends readonly unknown[]> {
  readonly statement: Statement;
  /** @throws what the runner throws. */
  readonly run: (runner: Runner, values: Values) => Promise<readonly Rows[]>;
  /** Sends it in a transaction without waiting for its end. */
  readonly send: (tx: Sender, values: Values) => void;
}

interface Sender {
  send(statement: Statement, values: readonly unknown[]): void;
}

interface Options<Columns> extends Pick<Statement, 'isReadOnly'> {
  /** The names of the columns in the order in which they are selected; absent where no column is read. */
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
 * Compiles a statement that Kysely builds. `build` gets its parameters by name. Rows are lists of `columns`, because
 * objects by column name would cost as much again as the rest of a read.
 *
 * @throws Error when `columns` are not those that the statement selects, in their order.
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
