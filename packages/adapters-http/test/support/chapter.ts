import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type HttpSettings, type MeasuredRequest, makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import {
  type FairQueueLimits,
  type Group,
  makeAuthenticate,
  makeFairQueue,
  makeUseCases,
  type Ports,
  type User,
} from '@chapter/domain/api';
import { aDivision, aUser, fakeHash, makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
import type { HttpServerOptions } from '../../src/server/http-server.ts';
import { makeSend } from './send.ts';

/** A line of the log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Record<string, unknown>;
  readonly text: string;
}

const REQUEST_LIMITS: FairQueueLimits = { maxRunning: 64, maxPerKey: [48, 32], maxWaiting: 1000 };

/** The timers of Node. */
const nodeTimers = {
  now: () => performance.now(),
  start: (milliseconds: number, action: () => void) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Serves a chapter over HTTP on the in-memory adapters: members with each role in the north, a Leader in the south. */
export const makeServedChapter = async (
  settings: Partial<HttpSettings> = {},
  wrap: (ports: Ports) => Partial<Ports> = () => ({}),
  limits?: HttpServerOptions,
  requestLimits = REQUEST_LIMITS,
) => {
  const requests = makeFairQueue(requestLimits, nodeTimers);
  const world = makeWorld();
  const useCases = makeUseCases({ ...world, ...wrap(world) });
  const log: LogLine[] = [];
  const write = (level: LogLine['level']) => (fields: object, text: string) => {
    log.push({ level, fields: { ...fields }, text });
  };
  const counted: (MeasuredRequest | Pick<MeasuredRequest, 'status'>)[] = [];
  let dropped = 0;
  const record = {
    log: { info: write('info'), warn: write('warn'), error: write('error') } as never,
    metrics: {
      observe: (answered: MeasuredRequest) => void counted.push(answered),
      unreadable: (status: number) => void counted.push({ status }),
      dropped: () => {
        dropped += 1;
      },
    },
  };
  const api = makeHttpApi({
    useCases,
    authenticate: makeAuthenticate(world),
    requests,
    settings: {
      changesPerHour: 0,
      requestDeadlineMs: 5000,
      corsOrigins: ['https://app.example.org'],
      trustedProxies: 0,
      hsts: false,
      hstsIncludesSubdomains: false,
      passwordMinLength: 8,
      docs: { publicUrl: () => 'https://members.example.org', demo: async () => null, persistsLogin: false },
      ...settings,
    },
    ...record,
  });
  const server = makeHttpServer(api, record, limits);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The server of a failed test must not keep the process alive.
  server.unref();
  const { port } = server.address() as AddressInfo;

  const [north, south] = [
    await storeDivision(world, aDivision().with({ name: 'North' })),
    await storeDivision(world, aDivision().with({ name: 'South' })),
  ];

  const admit = (username: string, groups: readonly Group[], more: Partial<User> = {}, division = north) =>
    storeUser(
      world,
      aUser()
        .of(division)
        .with({ id: world.ids.next(), dateJoined: world.clock.now(), username, groups, ...more }),
      fakeHash(`${username}-secret`),
    );

  const members = {
    leader: await admit('leader', ['Leader'], { email: 'leader@example.org', birthdate: '1990-05-17' }),
    guest: await admit('guest', ['Guest']),
    user: await admit('user', ['User']),
    groupless: await admit('groupless', []),
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

  const send = makeSend(port, tokenOf);

  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });

  return {
    ...members,
    world,
    requests,
    useCases,
    north,
    south,
    admit,
    tokenOf,
    send,
    get: (path: string, as?: User, headers = {}) => send('GET', path, { as, headers }),
    api,
    port,
    /** The number of open connections. */
    connections: promisify(server.getConnections.bind(server)),
    log,
    counted,
    /** The number of connections that were dropped. */
    dropped: () => dropped,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** A served chapter with its members and the functions that send requests. */
export type ServedChapter = Awaited<ReturnType<typeof makeServedChapter>>;

/**
 * For a `describe`: serves a chapter for all its tests, or a new one for each. The returned object has its properties only
 * while tests run.
 */
export const useServedChapter = ({ each = false, serve = () => makeServedChapter() } = {}): ServedChapter => {
  const chapter = {} as ServedChapter;
  const [start, end] = each ? [beforeEach, afterEach] : [before, after];
  start(async () => void Object.assign(chapter, await serve()));
  end(() => chapter.close());
  return chapter;
};
