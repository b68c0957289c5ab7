import { Client, type Pool } from 'pg';
import { makePool } from '../../packages/adapters-postgres/src/connection/pool.ts';
import { runnerOn } from '../../packages/adapters-postgres/src/connection/runner.ts';
import { makeReadPage } from '../../packages/adapters-postgres/src/lists/read-page.ts';
import { fill } from '../../test-support/lists/fill.ts';
import type { Population } from '../../test-support/lists/members.ts';

const createDatabase = async (url: string, name: string): Promise<string> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return url.replace(/[^/]*$/, name);
};

/** Creates and fills a database on a server, and opens one connection to it. `stack` closes the connection. */
export const openFilledService = async (
  serverUrl: string,
  name: string,
  population: Population,
  { stack, isVacuumed = true }: { readonly stack: AsyncDisposableStack; readonly isVacuumed?: boolean },
) => {
  const url = await createDatabase(serverUrl, name);
  await fill(url, population, { isVacuumed });
  const pool = makePool({ url, poolSize: 1, statementTimeoutMs: 0 });
  stack.defer(() => pool.end());
  return { name, url, population, pool, readPage: makeReadPage(runnerOn(pool)) };
};

/** Returns the number of blocks of users that are marked as visible to all transactions: none before the first vacuum. */
export const countVisibleBlocks = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ readonly blocks: number }>(
    `select relallvisible as blocks from pg_class where oid = 'user_account'::regclass`,
  );
  return rows[0]?.blocks ?? 0;
};
