import { Client } from 'pg';
import { startEmbedded } from '../../test-support/postgres/embedded.ts';
import { versionOf } from '../../test-support/postgres/version.ts';
import { hashPassword } from '../floor/passwords.ts';
import { parentOf } from '../measure/processes.ts';
import { fill } from './fill.ts';
import { personOf, type Size } from './people.ts';
import { migrate } from './tables.ts';

/** A database with people in it. */
export interface BenchDatabase {
  readonly url: string;
  /** The server's first process, which all others of it descend from. */
  readonly pid: number;
  /** `PostgreSQL 18.4`. */
  readonly version: string;
  readonly client: Client;
  readonly stop: () => Promise<void>;
}

/** What everybody's password is. */
export const PASSWORD = 'a bench is for sitting';

/** What is measured must be what the report says: as many divisions, and the same people, as the first of the deep one shows. */
const refuseOther = async (client: Client, size: Size): Promise<void> => {
  const { id, username } = personOf(size, size.divisions * size.members);
  const { rows } = await client.query<[number, string | null]>({
    text: 'select count(*)::int, (select username from user_account where id = $1) from division',
    values: [id],
    rowMode: 'array',
  });
  const [found, wanted] = [rows[0]?.[0], size.divisions + 1];
  if (found !== wanted) throw new Error(`the database was filled otherwise: ${found} divisions instead of ${wanted}`);
  if (rows[0]?.[1] !== username) throw new Error('the database was filled otherwise: with other people');
};

/**
 * Brings a database to where measuring starts: the service's own tables, full. One that is full already stays as it is.
 *
 * @throws Error where it was filled with other divisions or people.
 */
export const prepareDatabase = async (
  url: string,
  size: Size,
  scrypt: { readonly logN: number; readonly p: number },
): Promise<void> => {
  await migrate(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('select from division limit 1');
    if (rows.length === 0) await fill(client, size, await hashPassword(PASSWORD, { ...scrypt, r: 8 }));
    await refuseOther(client, size);
  } finally {
    await client.end();
  }
};

/**
 * Opens the database to measure on: a new embedded PostgreSQL, or one on this machine that `url` names and that another
 * run may have filled already. Nothing waits for the disk there, so that its speed hides nothing of what servers cost.
 */
export const openDatabase = async (
  url: string | undefined,
  size: Size,
  scrypt: { readonly logN: number; readonly p: number },
): Promise<BenchDatabase> => {
  const server = url === undefined ? await startEmbedded() : { url, stop: async () => {} };
  await prepareDatabase(server.url, size, scrypt);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    url: server.url,
    pid: parentOf(rows[0]?.pid ?? 0),
    version: await versionOf(server.url),
    client,
    stop: async () => {
      await client.end();
      await server.stop();
    },
  };
};
