import { join } from 'node:path';
import type { Pool } from 'pg';
import { Pool as PgPool } from 'pg';
import { type Client, clientOf } from './client.ts';
import { useTestDatabase } from './database.ts';
import { prepareDemo } from './demo-database.ts';
import { makeDataDir, type ServiceProcess, serve } from './service-process.ts';

/** The password of every demo account. */
export const PASSWORD = 'chapter-demo';

/** What somebody got by logging in. */
export interface LoggedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The same caller at either instance. */
  readonly at: readonly [Client, Client];
}

/** Two services, each in a process of its own, on one database and one key file, behind one proxy. */
export interface TwoServices {
  readonly services: readonly [ServiceProcess, ServiceProcess];
  readonly keysFile: string;
  /** Everything that the services keep, for what a test wants to see or to break. */
  readonly sql: Pool;
  /** Nobody's client at either instance. */
  readonly anonymous: readonly [Client, Client];
  /** A network that no test of the run has used: as the proxy in front of the services reports it. */
  readonly newNetwork: () => string;
  /** From a network of their own. */
  readonly logIn: (username: string, password?: string) => Promise<LoggedIn>;
  /** Creates a user of North and answers the id. */
  readonly admit: (username: string, groups?: readonly string[]) => Promise<string>;
}

const LOGIN = '/api/auth/login/';

/** For a `describe`: two services with demo data, there before its tests. */
export const useTwoServices = (settings: Readonly<Record<string, string>> = {}): (() => TwoServices) => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeDataDir();
  // The first service makes it.
  const path = join(dataDir.path, 'new', 'data');
  let found: TwoServices | undefined;
  let networks = 0;
  const newNetwork = (): string => {
    networks += 1;
    return `10.${networks >> 8}.${networks & 255}.7`;
  };

  before('start two services', async () => {
    const all = { DATABASE_URL: database.url, DATA_DIR: path, TRUSTED_PROXIES: '1', ...settings };
    // The first one makes the keys.
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
      const at = [clientOf(services[0].url, accessToken), clientOf(services[1].url, accessToken)] as const;
      return { accessToken, refreshToken, at };
    };
    let leader: LoggedIn | undefined;
    const admit = async (username: string, groups: readonly string[] = ['User']): Promise<string> => {
      leader ??= await logIn('leader');
      const { status, body } = await leader.at[0]('POST', '/api/users/', { username, password: PASSWORD, groups });
      if (status !== 201) throw new Error(`admit ${username}: ${status}`);
      return body.id;
    };
    found = { services, keysFile: join(path, 'keys.json'), sql, anonymous, newNetwork, logIn, admit };
  });

  after('stop them', async () => {
    await found?.sql.end();
    await Promise.all((found?.services ?? []).map(({ end }) => end()));
    dataDir.remove();
  });

  return () => {
    if (!found) throw new Error('The services are there once the hooks have run.');
    return found;
  };
};
