import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpSettings, makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import {
  type Group,
  invalidToken,
  makeAuthenticate,
  makeUseCases,
  OPERATOR,
  type PasswordHasher,
  type Ports,
  type User,
} from '@chapter/domain';
import { makeWorld } from '@chapter/domain/testing';
import { requireDocumented } from './documented.ts';

/** A hasher that costs nothing: the hash is the password behind a mark. */
const hasher: PasswordHasher = {
  hash: (password) => Promise.resolve(`hash of ${password}`),
  verify: (password, hash) => Promise.resolve(hash === `hash of ${password}`),
  isWeak: () => false,
};

/** Tokens that can be read: `access.USER.SESSION`. */
const accessTokens: Ports['accessTokens'] = {
  issue: ({ sub, sid }) => Promise.resolve({ token: `access.${sub}.${sid}`, expiresIn: 900 }),
  verify: (token) => {
    const [kind, sub, sid] = token.split('.');
    return kind === 'access' && sub && sid ? Promise.resolve({ sub, sid }) : Promise.reject(invalidToken());
  },
  keys: () => ({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: 'AAAA' }] }),
};

const makeRefreshTokens = (): Ports['refreshTokens'] => {
  let issued = 0;
  return {
    issue: () => ({ token: `refresh-${++issued}`, digest: `digest of refresh-${issued}` }),
    digestOf: (token) => `digest of ${token}`,
  };
};

/** What came back: the body parsed where it is JSON. */
export interface Answered {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came back
  readonly body: any;
  readonly text: string;
}

/** How a request is sent beyond method and path. */
export interface Sending {
  /** Whose access token goes with it. */
  readonly as?: User | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** A line of the log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Record<string, unknown>;
  readonly text: string;
}

/** A chapter on the twins behind a real HTTP server: a member of every kind in the north, a Leader in the south. */
export const makeServedChapter = async (
  settings: Partial<HttpSettings> = {},
  wrap: (ports: Ports) => Partial<Ports> = () => ({}),
) => {
  const world = makeWorld();
  const ports: Ports = {
    ...world,
    hasher,
    accessTokens,
    refreshTokens: makeRefreshTokens(),
    commonPasswords: { has: (text) => text === 'password123' },
    publicAddress: { current: () => '192.0.2.1' },
    refreshLifetime: 1_209_600,
  };
  const useCases = makeUseCases({ ...ports, ...wrap(ports) });
  const log: LogLine[] = [];
  const write = (level: LogLine['level']) => (fields: object, text: string) => {
    log.push({ level, fields: { ...fields }, text });
  };
  const counted: unknown[] = [];
  const api = makeHttpApi({
    useCases,
    authenticate: makeAuthenticate({ accessTokens, actors: world.actors }),
    settings: { corsOrigins: ['https://app.example.org'], trustedProxies: 0, hsts: false, docs: true, ...settings },
    log: { info: write('info'), warn: write('warn'), error: write('error') } as never,
    metrics: { observe: (answered) => counted.push(answered) },
  });
  const server = makeHttpServer(api);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A test that fails leaves its server behind; it must not keep the process.
  server.unref();
  const { port } = server.address() as AddressInfo;

  const makeDivision = (name: string) =>
    world.divisions.create(OPERATOR, { id: world.ids.next(), name, logo: null, fanpage: null });
  const [north, south] = [await makeDivision('North'), await makeDivision('South')];

  const admit = async (username: string, groups: readonly Group[], more: Partial<User> = {}, division = north) => {
    const user = {
      id: world.ids.next(),
      username,
      email: null,
      firstName: '',
      lastName: '',
      groups,
      birthdate: null,
      isActive: true,
      isStaff: false,
      isSuperuser: false,
      dateJoined: world.clock.now(),
      ...more,
      passwordHash: `hash of ${username}-secret`,
      divisionId: division.id,
    };
    const created = await world.users.create(OPERATOR, user, () => {});
    if (!('user' in created)) throw new Error('created under no key');
    return created.user;
  };

  const members = {
    leader: await admit('leader', ['Leader'], { email: 'leader@example.org', birthdate: '1990-05-17' }),
    guest: await admit('guest', ['Guest']),
    user: await admit('user', ['User']),
    nobody: await admit('nobody', []),
    admin: await admit('admin', ['User'], { isStaff: true }),
    southLeader: await admit('south-leader', ['Leader'], {}, south),
  };

  const sessions = new Map<string, string>();
  const tokenOf = async (user: User): Promise<string> => {
    const known = sessions.get(user.id);
    if (known) return known;
    const secret = `${user.username}-secret`;
    const session = await useCases.logIn({ username: user.username, password: secret, network: 'test' });
    sessions.set(user.id, session.accessToken);
    return session.accessToken;
  };

  const send = async (method: string, path: string, sending: Sending = {}): Promise<Answered> => {
    const { as, json, raw, headers = {} } = sending;
    const body = json === undefined ? raw : JSON.stringify(json);
    const all: Record<string, string | string[]> = { ...headers };
    if (as) all['authorization'] = `Bearer ${await tokenOf(as)}`;
    if (json !== undefined) all['content-type'] ??= 'application/json';
    if (body !== undefined) all['content-length'] ??= String(Buffer.byteLength(body));
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers['content-type']?.includes('json') && text !== '';
          const parsed: unknown = isJson ? JSON.parse(text) : text;
          const answered = {
            status: response.statusCode ?? 0,
            headers: response.headers as never,
            rawHeaders: response.rawHeaders,
            body: parsed,
            text,
          };
          try {
            requireDocumented(method, path, answered);
            resolve(answered);
          } catch (error) {
            reject(error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };

  return {
    ...members,
    world,
    useCases,
    north,
    south,
    admit,
    tokenOf,
    send,
    get: (path: string, as?: User, headers = {}) => send('GET', path, { as, headers }),
    port,
    log,
    counted,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
};

/** See {@link makeServedChapter}. */
export type ServedChapter = Awaited<ReturnType<typeof makeServedChapter>>;
/** The faults of a problem as `field code`. */
export const faultsOf = ({ body }: Answered): string[] =>
  ((body as { errors?: { field: string; code: string }[] }).errors ?? []).map(({ field, code }) => `${field} ${code}`);
