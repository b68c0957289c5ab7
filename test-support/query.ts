import { Client } from 'pg';

/** Runs one statement on a new connection and returns the rows. */
export const query = async (url: string, text: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  // A lost connection shows in the query.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};
