import { Client } from 'pg';

/** The rows of one statement, over a connection of its own. */
export const query = async (url: string, text: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};
