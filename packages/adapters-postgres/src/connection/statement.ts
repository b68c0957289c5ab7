import { type Compilable, type Expression, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import pg, { type Client, type Connection, Query, type types } from 'pg';

/** SQL with parameters. */
export interface Statement {
  /**
   * The name under which each connection prepares it on first use and keeps it. Only for a fixed number of statements, whose
   * columns always have the same types.
   */
  readonly name?: string;
  /** PostgreSQL refuses several statements in one text. */
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

type TypeId = (typeof types.builtins)[keyof typeof types.builtins];
type Parser = (text: string) => unknown;

/** A statement on one connection. */
interface StatementOnConnection {
  /** Empty if the server keeps it only until the next statement without a name. */
  readonly name: string;
  readonly text: string;
  /** Whether the text was sent; `unknown` if that use failed, so that the server may or may not have prepared it. */
  state: 'new' | 'sent' | 'unknown';
  /** What converts the text of each column; undefined until the server has described the columns. */
  parsers: readonly Parser[] | undefined;
}

/**
 * Chooses which statements a connection prepares: those with a name, and reusable texts with their second use, so that
 * texts that run once do not displace frequent ones. Beyond `max` texts, `deallocate` gets the name of the one that has
 * not been used for longest.
 */
export const makePreparedStatements = (deallocate: (name: string) => void, max: number = MAX_PREPARED_STATEMENTS) => {
  const named = new Map<string, StatementOnConnection>();
  const usedOnce = new LRUCache<string, true>({ max });
  const reusable = new LRUCache<string, StatementOnConnection>({ max, dispose: ({ name }) => deallocate(name) });
  let count = 0;
  return ({ name, text, isReusable = false }: Statement): StatementOnConnection => {
    const [kept, key] = name === undefined ? [reusable, text] : [named, name];
    const known = kept.get(key);
    if (known?.text === text) return known;
    if (known) throw new Error(`two statements have the name ${name}`);
    const isKept = name !== undefined || (isReusable && usedOnce.delete(text));
    if (isReusable && !isKept) usedOnce.set(text, true);
    const chosen = name ?? (isKept ? `reusable-${++count}` : '');
    const made: StatementOnConnection = { name: chosen, text, state: 'new', parsers: undefined };
    if (isKept) kept.set(key, made);
    return made;
  };
};

const byClient = new WeakMap<Client, ReturnType<typeof makePreparedStatements>>();

const preparedOn = (client: Client): ReturnType<typeof makePreparedStatements> => {
  const known = byClient.get(client);
  if (known) return known;
  // A protocol message, because poolers do not translate names in SQL. The next statement sends the Sync.
  const made = makePreparedStatements((name) => client.connection.close({ type: 'S', name }, true));
  byClient.set(client, made);
  return made;
};

/** Converts a parameter to what pg sends. The types of pg lack it. */
const { prepareValue } = Reflect.get(pg, 'utils') as { prepareValue: (value: unknown) => string | Buffer | null };

type Callback = (error: unknown, rows: readonly unknown[][]) => void;

/**
 * Makes a use of a statement. pg calls `submit`, and then the others with the messages of the response. Unlike pg's own
 * query, it asks for the columns only until they are known (docs/performance.md). It extends pg's class, because pg
 * accepts no other on a pipelined connection.
 */
const makeUse = (client: Client, statement: Statement, values: readonly unknown[], callback: Callback) => {
  const texts = values.map((value) => prepareValue(value));
  const rows: unknown[][] = [];
  let fault: unknown;
  let sent: StatementOnConnection | undefined;
  let sendsText = false;
  let parsers: StatementOnConnection['parsers'];
  const use = Object.assign(new Query(statement.text), {
    // pg replaces it to limit the time of a statement (`query_timeout`).
    callback,
    submit: (connection: Connection): void => {
      sent = preparedOn(client)(statement);
      const { name, text, state } = sent;
      sendsText = state !== 'sent';
      sent.state = 'sent';
      parsers = sent.parsers;
      connection.stream.cork();
      if (state === 'unknown') connection.close({ type: 'S', name }, true);
      if (sendsText) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values: texts }, true);
      if (!parsers) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
      connection.sync();
      connection.stream.uncork();
    },
    handleRowDescription: ({ fields }: { readonly fields: readonly { readonly dataTypeID: TypeId }[] }): void => {
      parsers = fields.map(({ dataTypeID }) => client.getTypeParser(dataTypeID, 'text') as Parser);
    },
    handleDataRow: ({ fields }: { readonly fields: unknown[] }): void => {
      try {
        for (let at = 0; at < fields.length; at++) {
          const text = fields[at];
          if (typeof text === 'string') fields[at] = parsers?.[at]?.(text);
        }
      } catch (error) {
        fault ??= error;
      }
      rows.push(fields);
    },
    handleCommandComplete: (): void => {
      if (sent) sent.parsers = parsers ?? [];
    },
    handleReadyForQuery: (): void => use.callback(fault, rows),
    handleError: (error: unknown): void => {
      if (sent && sendsText) sent.state = 'unknown';
      use.callback(error, []);
    },
  });
  return use;
};

/** Runs a statement on a connection. @throws the database's own errors. */
export const runOn = <Row extends readonly unknown[]>(
  client: Client,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    const end: Callback = (error, rows: readonly unknown[]) => {
      if (error === undefined) resolve(rows as readonly Row[]);
      else reject(error);
    };
    client.query(makeUse(client, statement, values, end));
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
