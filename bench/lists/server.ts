import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { type EmbeddedDatabase, openEmbeddedDatabase } from '../../packages/app/src/embedded/embedded-database.ts';

/** Where the embedded PostgreSQL of this bench keeps its files from one run to the next. */
const FOLDER = fileURLToPath(new URL('../../.chapter/bench-lists', import.meta.url));

/** A PostgreSQL to fill and to measure. */
export interface Server {
  readonly url: string;
  readonly admin: Client;
  /** Lets go of it. What was filled stays. */
  readonly close: () => Promise<void>;
}

const SETTINGS = [
  // How long to fill takes, and how much of the disk.
  'fsync = off',
  'full_page_writes = off',
  `max_wal_size = '2GB'`,
  // What is measured is work, not which pages happen to be at hand.
  `shared_buffers = '2GB'`,
];

const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => {}); // a server that goes away shows in the next query
  await client.connect();
  return client;
};

const isSet = async (admin: Client): Promise<boolean> => {
  const { rows } = await admin.query<{ buffers: string }>(`select current_setting('shared_buffers') as buffers`);
  return rows[0]?.buffers === '2GB';
};

const openOwn = async (): Promise<{ readonly embedded: EmbeddedDatabase; readonly admin: Client }> => {
  const embedded = await openEmbeddedDatabase(FOLDER);
  const admin = await connect(embedded.url);
  if (await isSet(admin)) return { embedded, admin };
  for (const setting of SETTINGS) await admin.query(`alter system set ${setting}`);
  await admin.end();
  // Memory is taken at the start.
  await embedded.close();
  return openOwn();
};

/** The server that `url` names, else an embedded one. */
export const openServer = async (url: string | undefined): Promise<Server> => {
  if (url !== undefined) {
    const admin = await connect(url);
    return { url, admin, close: () => admin.end() };
  }
  const { embedded, admin } = await openOwn();
  const close = async () => {
    await admin.end();
    await embedded.close();
  };
  return { url: embedded.url, admin, close };
};
