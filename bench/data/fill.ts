import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { divisionIdOf, divisionNameOf, personOf, populationOf, type Size } from './people.ts';

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

const USER =
  'user_account (id, username, username_key, email, email_key, first_name, first_name_key, last_name, last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined, password_hash)';

const divisionLine = (at: number) => [divisionIdOf(at), divisionNameOf(at), divisionNameOf(at).toLowerCase()];

/** Puts people into an empty database of the service, all with one password. */
export const fill = async (client: Client, size: Size, passwordHash: string): Promise<void> => {
  await copy(client, 'division (id, name, name_key)', lines(size.divisions + 1, divisionLine));
  const userLine = (at: number) => {
    const person = personOf(size, at);
    const { username, email, firstName, lastName, divisionId, groups, birthdate, dateJoined } = person;
    const text = [username, email, firstName, lastName].flatMap((value) => [value, value && value.toLowerCase()]);
    const flags = [String(person.isActive), 'false', 'false'];
    return [person.id, ...text, divisionId, groups, birthdate, ...flags, dateJoined, passwordHash];
  };
  await copy(client, USER, lines(populationOf(size), userLine));
  await client.query('vacuum analyze');
};
