import { type Compilable, type Expression, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Client } from 'pg';

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

/** How many reusable statements each connection keeps prepared. PostgreSQL's plan of each takes memory of the server. */
export const MAX_PREPARED_STATEMENTS = 100;

/** A statement that a connection has prepared, or will prepare when it first uses the name. */
interface PreparedStatement {
  readonly name: string;
  /** How many uses are still waiting for the server's response. The caller ends a use by decreasing it. */
  pending: number;
}

/**
 * Chooses which reusable statements a connection prepares. The returned function begins a use of a text. A text gets a name with
 * its second use, so that texts that run once do not displace frequent ones; without a name, it returns undefined. Beyond `max`,
 * `deallocate` gets the least recently used name. It never gets a name with a pending use, because pg registers a prepared name
 * only with the server's response.
 */
export const makePreparedStatements = (deallocate: (name: string) => void, max: number = MAX_PREPARED_STATEMENTS) => {
  const usedOnce = new LRUCache<string, true>({ max });
  const prepared = new LRUCache<string, PreparedStatement>({ max, dispose: ({ name }) => deallocate(name) });
  let count = 0;
  const prepare = (text: string): PreparedStatement | undefined => {
    if (!usedOnce.has(text)) {
      usedOnce.set(text, true);
      return undefined;
    }
    if (prepared.size === max) {
      const oldest = prepared.rkeys().find((key) => prepared.peek(key)?.pending === 0);
      if (oldest === undefined) return undefined;
      prepared.delete(oldest);
    }
    usedOnce.delete(text);
    count += 1;
    const made = { name: `reusable-${count}`, pending: 0 };
    prepared.set(text, made);
    return made;
  };
  return (text: string): PreparedStatement | undefined => {
    const used = prepared.get(text) ?? prepare(text);
    if (used) used.pending += 1;
    return used;
  };
};

const byClient = new WeakMap<Client, ReturnType<typeof makePreparedStatements>>();

const preparedOn = (client: Client): ReturnType<typeof makePreparedStatements> => {
  const known = byClient.get(client);
  if (known) return known;
  const { connection } = client;
  const made = makePreparedStatements((name) => {
    // A protocol message, because poolers do not translate names in SQL. The next statement sends the Sync.
    connection.close({ type: 'S', name }, false);
    // pg has no call that forgets a name. Without this access to its private map, the texts of all closed statements would remain
    // in memory.
    const parsed: unknown = Reflect.get(connection, 'parsedStatements');
    if (typeof parsed === 'object' && parsed !== null) Reflect.deleteProperty(parsed, name);
  });
  byClient.set(client, made);
  return made;
};

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
    const prepared = isReusable && fixedName === undefined ? preparedOn(client)(text) : undefined;
    const name = fixedName ?? prepared?.name;
    const query = { ...(name === undefined ? {} : { name }), text, rowMode: 'array' as const, values: [...values] };
    client.query(query, (error, result) => {
      if (prepared) prepared.pending -= 1;
      if (error) {
        reject(error);
        return;
      }
      const rows: readonly unknown[] = result.rows;
      resolve(rows as readonly Row[]);
    });
  });

/** Returns the parameter with a name, as an expression with the type of its value. */
export interface Parameters<Values> {
  <Name extends keyof Values & string>(name: Name): Expression<Values[Name]>;
}

/** Returns the parameters whose names are in `columns`, by name. */
export const pickParameters = <Values, Column extends keyof Values & string>(
  value: Parameters<Values>,
  columns: readonly Column[],
) =>
  Object.fromEntries(columns.map((column) => [column, value(column)])) as {
    readonly [Name in Column]: Expression<Values[Name]>;
  };

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

/** The rows of a statement. */
export type RowOf<Of> = Of extends FixedStatement<never, infer Rows> ? Rows : never;

interface Sender {
  send(statement: Statement, values: readonly unknown[]): void;
}

interface Options<Columns> extends Pick<Statement, 'isReadOnly'> {
  /** The names of the selected columns in order; omitted if no column is read. */
  readonly columns?: Columns;
}

/** A statement with a name, and the columns that its rows are said to have. */
interface NamedStatement extends Pick<Statement, 'text'> {
  readonly name: string;
  readonly columns: readonly string[] | undefined;
}

const named: NamedStatement[] = [];

/** Returns the named statements of all loaded modules, for the test that prepares them on PostgreSQL. */
export const namedStatements = (): readonly NamedStatement[] => named;

/**
 * Compiles a statement that Kysely builds. `build` gets a function that returns the parameter with a name. Rows are arrays in
 * the order of `columns`, because objects by column name would double the cost of a read. The compiler checks that the columns
 * are selected, and a test that their order is the same.
 */
export const defineStatement = <Values, Selected, const Columns extends readonly (keyof Selected & string)[] = []>(
  name: string | undefined,
  build: (value: Parameters<Values>) => Compilable<Selected>,
  { columns, isReadOnly = false }: Options<Columns> = {},
): FixedStatement<Values, Row<Selected, Columns>> => {
  // A symbol takes the place of each value, and names it.
  const { sql: text, parameters: given } = build((parameter) => sql`${Symbol(parameter)}`).compile();
  if (name !== undefined) named.push({ name, text, columns });
  const valuesOf = (values: Values): readonly unknown[] =>
    given.map((value) => (typeof value === 'symbol' ? values[value.description as keyof Values] : value));
  const statement: Statement = { text, isReadOnly, ...(name === undefined ? {} : { name }) };
  return {
    statement,
    run: (runner, values) => runner.query(statement, valuesOf(values)),
    send: (tx, values) => tx.send(statement, valuesOf(values)),
  };
};

/**
 * Returns `any(…)` of the ids in a parameter, for statements that look up batches: `where('id', '=', anyIdOf(ids))`. The
 * subquery hides the number of ids from PostgreSQL's planner. A planner that sees a small number estimates a custom plan as
 * cheaper than the generic plan, and plans each execution, which costs more than the execution. The outer cast makes the
 * subquery one array; without it, `any` would compare with its rows.
 */
export const anyIdOf = <Id extends string>(ids: Expression<readonly Id[]>): RawBuilder<Id> =>
  sql<Id>`any((select ${ids}::uuid[])::uuid[])`;
