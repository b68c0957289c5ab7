import { Client } from 'pg';
import { copyRows, migrate, USERS } from '../data/tables.ts';
import { divisionRowOf, divisionsOf, memberRowOf, type Population, totalOf } from './people.ts';

const INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'public' and tablename = 'user_account'
    and not exists (select from pg_constraint where conname = indexname)`;

/** Brings an empty database to the present schema, with the population in it. */
export const fill = async (url: string, population: Population): Promise<void> => {
  await migrate(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    await client.query(`set maintenance_work_mem = '512MB'`);
    // Of rows whose commit is still on its way to the disk, vacuum does not say that everybody sees them.
    await client.query('set synchronous_commit = on');
    // Indexes that are made of all rows at once are made in a fraction of the time.
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const divisions = 'division (id, name, name_key, logo, logo_key)';
    await copyRows(client, divisions, divisionsOf(population), divisionRowOf);
    await copyRows(client, USERS, totalOf(population), (at) => memberRowOf(population, at));
    for (const { definition } of indexes) await client.query(definition);
    // Which is no part of an index's definition.
    await client.query('alter index user_account_tokens alter column 1 set statistics 0');
    await client.query('vacuum (analyze)');
  } finally {
    await client.end();
  }
};
