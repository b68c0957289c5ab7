import { Client } from 'pg';

/** Opens a connection, and runs statements on it. */
export const connectClient = async (url: string, ...statements: readonly string[]): Promise<Client> => {
  const client = new Client({ connectionString: url });
  // A lost connection shows in the next query.
  client.on('error', () => {});
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return client;
};

/** Does work with a new connection. */
export const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = await connectClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Runs one statement on a new connection and returns the rows. */
export const query = (url: string, text: string): Promise<readonly Record<string, unknown>[]> =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(text)).rows);
