import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectPostgres } from '../../packages/adapters-postgres/src/index.ts';

/** A row in the order of the columns: each value as PostgreSQL reads it. */
export type Row = readonly (string | null)[];

/** The table of users with the columns of a {@link Row}. */
export const USERS = `user_account (id, username, username_key, email, email_key, first_name, first_name_key, last_name,
  last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined, password_hash)`;

/** Rows that go to the server in one piece. */
const PIECE = 500;

const lines = function* (count: number, rowOf: (at: number) => Row): Generator<string> {
  for (let from = 0; from < count; from += PIECE) {
    const rows = Array.from({ length: Math.min(PIECE, count - from) }, (_, at) => rowOf(from + at));
    // Nothing here has a tab, a backslash or a line break in it: COPY's text format as it stands.
    yield rows.map((row) => `${row.map((value) => value ?? '\\N').join('\t')}\n`).join('');
  }
};

/** Copies so many rows, made by their numbers, into a table with these columns: `division (id, name)`. */
export const copyRows = async (
  client: Client,
  target: string,
  count: number,
  rowOf: (at: number) => Row,
): Promise<void> => {
  await pipeline(Readable.from(lines(count, rowOf)), client.query(copyFrom(`copy ${target} from stdin`)));
};

/** Brings an empty database to the present schema. */
export const migrate = async (url: string): Promise<void> => {
  const clock = { now: () => new Date().toISOString() };
  const database = connectPostgres({ url, clock, ids: { next: () => randomUUID() } });
  await database.migrations.up();
  await database.close();
};
