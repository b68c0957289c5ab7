import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectPostgres } from '../../packages/adapters-postgres/src/index.ts';
import { divisionLineOf, divisionsOf, memberLineOf, type Population, totalOf } from './people.ts';

/** Rows that go to the server in one piece. */
const PIECE = 500;

const lines = function* (count: number, lineOf: (at: number) => readonly (string | null)[]): Generator<string> {
  for (let from = 0; from < count; from += PIECE) {
    const rows = Array.from({ length: Math.min(PIECE, count - from) }, (_, at) => lineOf(from + at));
    // Nothing here has a tab, a backslash or a line break in it: COPY's text format as it stands.
    yield rows.map((row) => `${row.map((value) => value ?? '\\N').join('\t')}\n`).join('');
  }
};

const copy = async (client: Client, target: string, rows: Iterable<string>): Promise<void> => {
  await pipeline(Readable.from(rows), client.query(copyFrom(`copy ${target} from stdin`)));
};

const DIVISION = 'division (id, name, name_key, logo, logo_key)';
const USER = `user_account (id, username, username_key, email, email_key, first_name, first_name_key, last_name,
  last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined, password_hash)`;

const INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'public' and tablename = 'user_account'
    and not exists (select from pg_constraint where conname = indexname)`;

const migrate = async (url: string): Promise<void> => {
  const clock = { now: () => new Date().toISOString() };
  const database = connectPostgres({ url, clock, ids: { next: () => randomUUID() } });
  await database.migrations.up();
  await database.close();
};

/** Brings an empty database to the present schema, with the population in it. */
export const fill = async (url: string, population: Population): Promise<void> => {
  await migrate(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    await client.query(`set maintenance_work_mem = '512MB'`);
    // Indexes that are made of all rows at once are made in a fraction of the time.
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await copy(client, DIVISION, lines(divisionsOf(population), divisionLineOf));
    await copy(
      client,
      USER,
      lines(totalOf(population), (at) => memberLineOf(population, at)),
    );
    for (const { definition } of indexes) await client.query(definition);
    // Which is no part of an index's definition.
    await client.query('alter index user_account_tokens alter column 1 set statistics 0');
    await client.query('vacuum (analyze)');
  } finally {
    await client.end();
  }
};
