import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectPostgres } from '../../packages/adapters-postgres/src/index.ts';

/** A row as an array of its columns, each value in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[];

/** The table of users with its columns, as COPY names them. */
export const USERS = `user_account (id, username, username_key, email, email_key, first_name, first_name_key, last_name, last_name_key,
  division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined, password_hash)`;

const ROWS_PER_CHUNK = 500;

const lines = function* (count: number, rowOf: (at: number) => TextRow): Generator<string> {
  for (let from = 0; from < count; from += ROWS_PER_CHUNK) {
    const rows = Array.from({ length: Math.min(ROWS_PER_CHUNK, count - from) }, (_, at) => rowOf(from + at));
    // No value contains a tab, a backslash or a line break, so COPY needs no escapes.
    yield rows.map((row) => `${row.map((value) => value ?? '\\N').join('\t')}\n`).join('');
  }
};

/** Copies `count` rows into a table with columns, such as `division (id, name)`. `rowOf` makes a row from its number. */
export const copyTextRows = async (
  client: Client,
  target: string,
  count: number,
  rowOf: (at: number) => TextRow,
): Promise<void> => {
  await pipeline(Readable.from(lines(count, rowOf)), client.query(copyFrom(`copy ${target} from stdin`)));
};

/** Creates the current schema in an empty database. */
export const createSchema = async (url: string): Promise<void> => {
  const clock = { now: () => new Date().toISOString() };
  const database = connectPostgres({ url, clock, ids: { next: () => randomUUID() } });
  await database.migrations.up();
  await database.close();
};
