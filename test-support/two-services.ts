import { join } from 'node:path';
import type { Pool } from 'pg';
import { Pool as PgPool } from 'pg';
import { type Client, clientOf } from './client.ts';
import { useTestDatabase } from './database.ts';
import { prepareDemo } from './demo-database.ts';
import { makeDataDir, type ServiceProcess, serve } from './service-process.ts';

/** The password of every demo account. */
export const PASSWORD = 'chapter-demo';

/** The tokens and clients of a logged-in user. */
export interface LoggedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Clients of the user, one for each instance. */
  readonly clients: readonly [Client, Client];
}

/** Two services in separate processes, with one database and one key file, behind one proxy. */
export interface TwoServices {
  readonly services: readonly [ServiceProcess, ServiceProcess];
  readonly keysFile: string;
  /** Access to the services' database, so that a test can inspect and break the data. */
  readonly sql: Pool;
  /** Clients without a token, one for each instance. */
  readonly anonymous: readonly [Client, Client];
  /** Returns a client address in a network that no other test uses, for the header of the proxy. */
  readonly newNetwork: () => string;
  /** Logs in from a new network. */
  readonly logIn: (username: string, password?: string) => Promise<LoggedIn>;
  /** Creates a user of North and returns the id. */
  readonly createUser: (username: string, groups?: readonly string[]) => Promise<string>;
}

const LOGIN = '/api/auth/login/';

/** For a `describe`: two services with demo data, started before its tests. */
export const useTwoServices = (settings: Readonly<Record<string, string>> = {}): (() => TwoServices) => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeDataDir();
  // The first service creates the folder.
  const path = join(dataDir.path, 'new', 'data');
  let started: TwoServices | undefined;
  let networks = 0;
  const newNetwork = (): string => {
    networks += 1;
    return `10.${networks >> 8}.${networks & 255}.7`;
  };

  before('start two services', async () => {
    const all = { DATABASE_URL: database.url, DATA_DIR: path, TRUSTED_PROXIES: '1', ...settings };
    // The first service creates the keys.
    const first = await serve(all);
    const services = [first, await serve(all)] as const;
    const sql = new PgPool({ connectionString: database.url, max: 2 });
    sql.on('error', () => {});
    const anonymous = [clientOf(services[0].url), clientOf(services[1].url)] as const;
    const logIn = async (username: string, password = PASSWORD): Promise<LoggedIn> => {
      const from = { 'X-Forwarded-For': newNetwork() };
      const { status, body } = await anonymous[0]('POST', LOGIN, { username, password }, from);
      if (status !== 200) throw new Error(`log in as ${username}: ${status}`);
      const { access_token: accessToken, refresh_token: refreshToken } = body;
      const clients = [clientOf(services[0].url, accessToken), clientOf(services[1].url, accessToken)] as const;
      return { accessToken, refreshToken, clients };
    };
    let leader: LoggedIn | undefined;
    const createUser = async (username: string, groups: readonly string[] = ['User']): Promise<string> => {
      leader ??= await logIn('leader');
      const { status, body } = await leader.clients[0]('POST', '/api/users/', { username, password: PASSWORD, groups });
      if (status !== 201) throw new Error(`create ${username}: ${status}`);
      return body.id;
    };
    started = { services, keysFile: join(path, 'keys.json'), sql, anonymous, newNetwork, logIn, createUser };
  });

  after('stop the services', async () => {
    await started?.sql.end();
    await Promise.all((started?.services ?? []).map(({ end }) => end()));
    dataDir.remove();
  });

  return () => {
    if (!started) throw new Error('the services exist only while tests run');
    return started;
  };
};
