import type { Client } from 'pg';

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
export const preparedOn = (client: Client): PreparedStatements => {
  const known = byClient.get(client);
  if (known) return known;
  const { connection } = client;
  const made = makePreparedStatements((name) => {
    // A protocol message, because poolers do not translate names in SQL. The next statement sends the Sync.
    connection.close({ type: 'S', name }, false);
    const parsed: unknown = Reflect.get(connection, 'parsedStatements');
    if (typeof parsed === 'object' && parsed !== null) Reflect.deleteProperty(parsed, name);
  });
  byClient.set(client, made);
  return made;
};
