import { randomInt } from 'node:crypto';
import type { Client } from 'pg';
import { startEmbedded } from './postgres/embedded.ts';
import type { PostgresServer } from './postgres/server.ts';
import { versionOf } from './postgres/version.ts';
import { connectClient } from './query.ts';

/** Starts PostgreSQL in a container. Returns undefined without Docker or without the image, which is never pulled. */
const startContainer = async (image: string): Promise<PostgresServer | undefined> => {
  // Ryuk, which cleans up after crashes, is a separate image and would have to be pulled.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true';
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  try {
    const docker = await getContainerRuntimeClient();
    if (!(await docker.image.exists(ImageName.fromString(image)))) return undefined;
  } catch {
    return undefined;
  }
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(image)
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'max_connections=200'])
    .withTmpFs({ '/var/lib/postgresql/data': 'rw' })
    .start();
  const stop = async (): Promise<void> => {
    await container.stop();
  };
  return { name: `the container image ${image}`, url: container.getConnectionUri(), stop };
};

/** Prepares an empty database as a template for tests. It must close its connections before it resolves. */
export type PrepareTemplate = (url: string) => Promise<void>;

/** A database for tests. */
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

/** Drops the databases and roles of killed runs. A run has ended if no connection holds the lock with its number. */
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

/** Returns the URL of a database for a role that may only log in. The run creates the role once and drops it at the end. */
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
  const admin = await connectClient(server.url);
  console.log(`The tests use ${await versionOf(server.url)} from ${server.name}.`);
  await dropLeftovers(admin);
  return { server, admin };
};

const createDatabase = async (template: string): Promise<TestDatabase & { readonly name: string }> => {
  session ??= open();
  const { server, admin } = await session;
  created += 1;
  const name = `${prefix}${run}_${created}`;
  // Copying files takes half of the time of copying pages through the log, which is the default.
  await admin.query(`create database ${name} template ${template} strategy file_copy`);
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

/** Creates a database: a copy of a template that `prepare` has filled once per run, or an empty one without `prepare`. */
export const createTestDatabase = async (prepare?: PrepareTemplate): Promise<TestDatabase> =>
  createDatabase(prepare ? await templateOf(prepare) : 'template0');

/** For a `describe`: creates a database before its hooks and tests, or before each test, and drops it after them. */
export const useTestDatabase = (prepare?: PrepareTemplate, { each = false } = {}): { readonly url: string } => {
  let database: TestDatabase | undefined;
  const [start, end] = each ? [beforeEach, afterEach] : [before, after];
  start('create a database', async () => {
    database = await createTestDatabase(prepare);
  });
  end('drop the database', () => database?.drop());
  return {
    get url() {
      if (!database) throw new Error('the database exists only while tests run');
      return database.url;
    },
  };
};

/** Drops the run's templates and roles and stops its server. Needed only on a shared server, which outlives the run. */
export const closeTestDatabases = async (): Promise<void> => {
  if (!session) return;
  const { admin, server } = await session;
  session = undefined;
  for (const template of templates.values()) await admin.query(`drop database if exists ${await template}`);
  // A failed test may have left a database in which the role has rights. A later run drops both.
  for (const role of roles.keys()) await admin.query(`drop role ${role}`).catch(() => {});
  await admin.end();
  await server.stop();
};
