import { Client } from 'pg';
import { query } from '../query.ts';
import { divisionRowOf, memberRowOf } from './member-rows.ts';
import { divisionsOf, type Population, totalOf } from './members.ts';
import { copyTextRows, createSchema, USERS } from './tables.ts';

const INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'public' and tablename = 'user_account'
    and not exists (select from pg_constraint where conname = indexname)`;

/** Stores for each user that their last login was yesterday, and marks the rows as visible to all transactions. */
export const fillActivity = async (url: string): Promise<void> => {
  await query(url, 'insert into user_activity select id, current_date - 1 from user_account on conflict do nothing');
  await query(url, 'vacuum (analyze) user_activity');
};

/**
 * Fills an empty database with a population, after `migrate` has created the schema: by default, the current one. Without
 * vacuum, the tables are in the state after an import: with statistics, but no row is marked as visible to all transactions.
 */
export const fill = async (
  url: string,
  population: Population,
  { isVacuumed = true, migrate = createSchema } = {},
): Promise<void> => {
  await migrate(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    await client.query(`set maintenance_work_mem = '512MB'`);
    // Vacuum marks rows as visible to all transactions only once their commit is on disk.
    await client.query('set synchronous_commit = on');
    // Building an index from all rows is much faster than maintaining it row by row.
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const divisions = 'division (id, name, name_key, logo, logo_key)';
    await copyTextRows(client, divisions, divisionsOf(population), divisionRowOf);
    await copyTextRows(client, USERS, totalOf(population), (at) => memberRowOf(population, at));
    for (const { definition } of indexes) await client.query(definition);
    await client.query(isVacuumed ? 'vacuum (analyze)' : 'analyze');
  } finally {
    await client.end();
  }
};

/** How many members the databases of {@link fillLayout} have: enough that a plan that reads all of them is too expensive. */
export const FILLED_MEMBERS = 30_000;

/** Fills a database with all members in one division, or in many. Test databases with the same function copy one template. */
export const fillLayout = {
  one: (url: string) => fill(url, { layout: 'one', members: FILLED_MEMBERS }),
  many: (url: string) => fill(url, { layout: 'many', members: FILLED_MEMBERS }),
};
