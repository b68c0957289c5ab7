import { join } from 'node:path';
import { Pool } from 'pg';
import { type Client, clientOf } from './client.ts';
import { createTestDatabase } from './database.ts';
import { prepareDemo } from './demo-database.ts';
import { makeFolder } from './folders.ts';
import { type ServiceProcess, serveInProcess } from './service-process.ts';

/** The password of every demo account. */
export const PASSWORD = 'chapter-demo';

/** The tokens and clients of a logged-in user. */
export interface LoggedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Clients of the user, one for each instance. */
  readonly clients: readonly [Client, Client];
}

/** Two services in separate processes, with one database and one key file. They accept client addresses from a proxy. */
interface TwoServices {
  readonly services: readonly [ServiceProcess, ServiceProcess];
  readonly keysFile: string;
  /** Access to the services' database, so that a test can inspect and break the data. */
  readonly sql: Pool;
  /** Clients without a token, one for each instance. */
  readonly anonymous: readonly [Client, Client];
  /** Logs in from a new network. */
  readonly logIn: (username: string) => Promise<LoggedIn>;
  /** Creates a user of North and returns the id. */
  readonly createUser: (username: string) => Promise<string>;
}

const LOGIN = '/api/auth/login/';

interface Started {
  readonly world: TwoServices;
  readonly stop: () => Promise<void>;
}

const start = async (): Promise<Started> => {
  const database = await createTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  // The first service creates the folder.
  const path = join(dataDir, 'new', 'data');
  const settings = { DATABASE_URL: database.url, DATA_DIR: path, TRUSTED_PROXIES: '1' };
  // The first service creates the keys.
  const first = await serveInProcess(settings);
  const services = [first, await serveInProcess(settings)] as const;
  const sql = new Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  const anonymous = [clientOf(services[0].url), clientOf(services[1].url)] as const;
  let networks = 0;
  const logIn = async (username: string): Promise<LoggedIn> => {
    networks += 1;
    const from = { 'X-Forwarded-For': `10.0.${networks}.7` };
    const { status, body } = await anonymous[0]('POST', LOGIN, { username, password: PASSWORD }, from);
    if (status !== 200) throw new Error(`log in as ${username}: ${status}`);
    const { access_token: accessToken, refresh_token: refreshToken } = body;
    const clients = [clientOf(services[0].url, accessToken), clientOf(services[1].url, accessToken)] as const;
    return { accessToken, refreshToken, clients };
  };
  const createUser = async (username: string): Promise<string> => {
    const leader = await logIn('leader');
    const { status, body } = await leader.clients[0]('POST', '/api/users/', { username, password: PASSWORD });
    if (status !== 201) throw new Error(`create ${username}: ${status}`);
    return body.id;
  };
  const stop = async (): Promise<void> => {
    await sql.end();
    await Promise.all(services.map(({ end }) => end()));
    await database.drop();
  };
  return {
    world: { services, keysFile: join(path, 'keys.json'), sql, anonymous, logIn, createUser },
    stop,
  };
};

let started: Promise<Started> | undefined;
/** The number of `describe` blocks that still need the services. */
let waiting = 0;

/** For a `describe`: two services with demo data, which all such blocks of the run share. */
export const useTwoServices = (): (() => TwoServices) => {
  let found: TwoServices | undefined;
  waiting += 1;
  before('start two services', async () => {
    started ??= start();
    found = (await started).world;
  });
  after('stop the services after the last block', async () => {
    waiting -= 1;
    if (waiting === 0) await started?.then(({ stop }) => stop());
  });
  return () => {
    if (!found) throw new Error('the services exist only while tests run');
    return found;
  };
};
