import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { startContainer } from './postgres/container.ts';
import { startEmbedded } from './postgres/embedded.ts';
import type { PostgresServer } from './postgres/server.ts';
import { versionOf } from './postgres/version.ts';

/** Brings an empty database to the state that specs start from, and closes its connections before it resolves. */
export type PrepareTemplate = (url: string) => Promise<void>;

export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

interface Session {
  readonly server: PostgresServer;
  readonly admin: Client;
}

const prefix = 'chapter_test_';
const run = randomInt(1, 2 ** 31);
const templates = new Map<PrepareTemplate, Promise<string>>();
const roles = new Map<string, Promise<unknown>>();
let session: Promise<Session> | undefined;
let created = 0;

const chooseServer = async (): Promise<PostgresServer> => {
  const url = process.env['TEST_DATABASE_URL'];
  if (url) return { name: 'TEST_DATABASE_URL', url, stop: () => Promise.resolve() };
  return (await startContainer(process.env['TEST_DATABASE_IMAGE'] ?? 'postgres:15-local')) ?? startEmbedded();
};

/** Every run holds a lock for as long as it lives; databases and roles without one were left by a run that was killed. */
const dropLeftovers = async (admin: Client): Promise<void> => {
  await admin.query('select pg_advisory_lock($1)', [run]);
  // Databases first: a role with rights in one cannot be dropped.
  const { rows } = await admin.query<{ drop: string; owner: string }>(
    `select format('drop database if exists %I with (force)', datname) as drop, split_part(datname, '_', 3) as owner
       from pg_database where datname ~ $1
     union all select format('drop role if exists %I', rolname), split_part(rolname, '_', 3)
       from pg_roles where rolname ~ $1 order by drop`,
    [`^${prefix}[0-9]+_`],
  );
  for (const { drop, owner } of rows) {
    const lock = await admin.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [owner]);
    if (!lock.rows[0]?.free) continue;
    await admin.query(drop);
    await admin.query('select pg_advisory_unlock($1)', [owner]);
  }
};

/** Returns the URL of a database for a role that may only log in. The run creates the role once and drops it at its end. */
export const asRole = async (url: string, name: string): Promise<string> => {
  session ??= open();
  const { admin } = await session;
  const role = `${prefix}${run}_${name}`;
  const created = roles.get(role) ?? admin.query(`create role ${role} login password '${role}'`);
  roles.set(role, created);
  await created;
  return Object.assign(new URL(url), { username: role, password: role }).href;
};

const open = async (): Promise<Session> => {
  const server = await chooseServer();
  const admin = new Client({ connectionString: server.url });
  admin.on('error', () => {}); // a server that goes away shows in the next query
  await admin.connect();
  console.log(`The tests use ${await versionOf(server.url)} from ${server.name}.`);
  await dropLeftovers(admin);
  return { server, admin };
};

const createDatabase = async (template: string): Promise<TestDatabase & { readonly name: string }> => {
  session ??= open();
  const { server, admin } = await session;
  created += 1;
  const name = `${prefix}${run}_${created}`;
  await admin.query(`create database ${name} template ${template}`);
  const url = new URL(server.url);
  url.pathname = name;
  const drop = async (): Promise<void> => {
    await admin.query(`drop database if exists ${name} with (force)`);
  };
  return { name, url: url.href, drop };
};

const templateOf = (prepare: PrepareTemplate): Promise<string> => {
  const prepared = async (): Promise<string> => {
    const { name, url } = await createDatabase('template0');
    await prepare(url);
    return name;
  };
  const known = templates.get(prepare) ?? prepared();
  templates.set(prepare, known);
  return known;
};

/** A new database: a copy of the one that `prepare` has been run on, once for all that ask with it; else an empty one. */
export const createTestDatabase = async (prepare?: PrepareTemplate): Promise<TestDatabase> =>
  createDatabase(prepare ? await templateOf(prepare) : 'template0');

/** For a `describe`: a database of its own, there before its hooks and tests and dropped after them. */
export const useTestDatabase = (prepare?: PrepareTemplate): { readonly url: string } => {
  let database: TestDatabase | undefined;
  before('create a database', async () => {
    database = await createTestDatabase(prepare);
  });
  after('drop the database', () => database?.drop());
  return {
    get url() {
      if (!database) throw new Error('The database is there once the hooks have run.');
      return database.url;
    },
  };
};

/** Ends what the run has started. Without it a run leaves nothing either, but on a server that is not its own. */
export const closeTestDatabases = async (): Promise<void> => {
  if (!session) return;
  const { admin, server } = await session;
  session = undefined;
  for (const template of templates.values()) await admin.query(`drop database if exists ${await template}`);
  // A test that failed may have left a database in which the role has rights; a later run drops both.
  for (const role of roles.keys()) await admin.query(`drop role ${role}`).catch(() => {});
  await admin.end();
  await server.stop();
};
