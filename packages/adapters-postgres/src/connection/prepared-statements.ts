import type { PoolClient } from 'pg';

/** How many reusable statements each connection keeps prepared. Each costs the server memory for its plan. */
export const MAX_PREPARED_STATEMENTS = 100;

/** A statement that a connection has prepared, or prepares with its first use under the name. */
interface PreparedStatement {
  readonly name: string;
  /** Uses that the server has not answered. */
  unanswered: number;
}

/** The reusable statements that one connection has prepared. */
interface PreparedStatements {
  /**
   * Begins a use of a text and returns what it runs by; undefined means without a name, because it is the first use or all
   * names are in use.
   */
  readonly begin: (text: string) => PreparedStatement | undefined;
  /** Ends a use that the server has answered. */
  readonly end: (prepared: PreparedStatement) => void;
}

/**
 * Chooses which reusable statements a connection prepares: a text gets a name with its second use, so that texts that run
 * once take no name from those that run often. Beyond `limit`, `deallocate` gets the least recently used name. It never
 * gets a name with an unanswered use: pg notes only then which names are prepared.
 */
export const makePreparedStatements = (
  deallocate: (name: string) => void,
  limit: number = MAX_PREPARED_STATEMENTS,
): PreparedStatements => {
  const usedOnce = new Set<string>();
  // Least recently used first.
  const prepared = new Map<string, PreparedStatement>();
  let count = 0;
  const makeRoom = (): boolean => {
    if (prepared.size < limit) return true;
    for (const [text, { name, unanswered }] of prepared) {
      if (unanswered > 0) continue;
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
    if (!makeRoom()) return undefined;
    usedOnce.delete(text);
    count += 1;
    return { name: `reusable-${count}`, unanswered: 0 };
  };
  return {
    begin: (text) => {
      const found = prepared.get(text) ?? prepare(text);
      if (!found) return undefined;
      found.unanswered += 1;
      prepared.delete(text);
      prepared.set(text, found);
      return found;
    },
    end: (used) => {
      used.unanswered -= 1;
    },
  };
};

const byClient = new WeakMap<PoolClient, PreparedStatements>();

/** Returns the reusable statements that a connection has prepared. */
export const preparedOn = (client: PoolClient): PreparedStatements => {
  const known = byClient.get(client);
  if (known) return known;
  const { connection } = client;
  const made = makePreparedStatements((name) => {
    // A message of the protocol, because poolers do not know the names in SQL. The statement that follows syncs.
    connection.close({ type: 'S', name }, false);
    const parsed: unknown = Reflect.get(connection, 'parsedStatements');
    if (typeof parsed === 'object' && parsed !== null) Reflect.deleteProperty(parsed, name);
  });
  byClient.set(client, made);
  return made;
};
