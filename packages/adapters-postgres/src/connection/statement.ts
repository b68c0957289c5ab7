import { type Compilable, type Expression, type RawBuilder, sql } from 'kysely';
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
  /** How many uses are still waiting for the server's response. */
  pending: number;
}

/** The reusable statements that one connection has prepared. */
interface PreparedStatements {
  /**
   * Begins a use of a text and returns its prepared statement. Returns undefined if the text must run without a name:
   * on its first use, or while all names are in use.
   */
  readonly begin: (text: string) => PreparedStatement | undefined;
  /** Ends a use. Call it after the server's response. */
  readonly end: (prepared: PreparedStatement) => void;
}

/**
 * Chooses which reusable statements a connection prepares. A text gets a name with its second use, so that texts that run
 * once do not displace frequent ones. Beyond `limit`, `deallocate` gets the least recently used name. It never gets a name
 * with a pending use, because pg registers a prepared name only with the server's response.
 */
export const makePreparedStatements = (
  deallocate: (name: string) => void,
  limit: number = MAX_PREPARED_STATEMENTS,
): PreparedStatements => {
  const usedOnce = new Set<string>();
  // In order of use, the least recently used first.
  const prepared = new Map<string, PreparedStatement>();
  let count = 0;
  const freeName = (): boolean => {
    if (prepared.size < limit) return true;
    for (const [text, { name, pending }] of prepared) {
      if (pending > 0) continue;
      prepared.delete(text);
      deallocate(name);
      return true;
    }
    return false;
  };
  const prepare = (text: string): PreparedStatement | undefined => {
    if (!usedOnce.has(text)) {
      const [oldest] = usedOnce;
      if (oldest !== undefined && usedOnce.size === limit) usedOnce.delete(oldest);
      usedOnce.add(text);
      return undefined;
    }
    if (!freeName()) return undefined;
    usedOnce.delete(text);
    count += 1;
    return { name: `reusable-${count}`, pending: 0 };
  };
  return {
    begin: (text) => {
      const found = prepared.get(text) ?? prepare(text);
      if (!found) return undefined;
      found.pending += 1;
      prepared.delete(text);
      prepared.set(text, found);
      return found;
    },
    end: (used) => {
      used.pending -= 1;
    },
  };
};

const byClient = new WeakMap<Client, PreparedStatements>();

/** Returns the reusable statements that a connection has prepared. */
const preparedOn = (client: Client): PreparedStatements => {
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
