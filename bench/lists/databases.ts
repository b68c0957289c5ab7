import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { fill } from './fill.ts';
import type { Population } from './people.ts';

const nameOf = ({ way, members }: Population): string => `chapter_lists_${way}_${members}`;

const MIGRATIONS = '../../packages/adapters-postgres/src/migrations/';

/** What a database is filled by: one that was filled by another has to be filled anew. */
const recipe = (): string => {
  const migrations = readdirSync(new URL(MIGRATIONS, import.meta.url)).toSorted();
  const hash = createHash('sha256');
  for (const file of [
    'people.ts',
    'fill.ts',
    '../data/scatter.ts',
    '../data/tables.ts',
    ...migrations.map((name) => `${MIGRATIONS}${name}`),
  ]) {
    hash.update(readFileSync(new URL(file, import.meta.url)));
  }
  return hash.digest('hex').slice(0, 16);
};

/** The address of a database with the population, on the server at `server`. It is filled unless a run before did it. */
export const databaseOf = async (admin: Client, server: string, population: Population): Promise<string> => {
  const name = nameOf(population);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { rows } = await admin.query<{ comment: string | null }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [name],
  );
  if (rows[0]?.comment === recipe()) return url.href;
  const began = Date.now();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name} template template0`);
  await fill(url.href, population);
  await admin.query(`comment on database ${name} is '${recipe()}'`);
  console.error(`${name}: filled in ${((Date.now() - began) / 1000).toFixed(0)} s`);
  return url.href;
};

/** Drops the databases with these populations. */
export const dropDatabases = async (admin: Client, populations: readonly Population[]): Promise<void> => {
  for (const population of populations) await admin.query(`drop database if exists ${nameOf(population)} with (force)`);
};
