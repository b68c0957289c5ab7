import { connect, type Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import type { FairQueueLimits, Ports, User } from '@chapter/domain/api';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

/** A door in front of a port: while it is shut, calls wait. */
const makeDoor = () => {
  let { promise, resolve } = Promise.withResolvers<void>();
  resolve();
  return {
    pass: () => promise,
    shut: () => {
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    open: () => resolve(),
  };
};

describe('The places of requests', () => {
  const LIMITS: FairQueueLimits = { maxRunning: 4, maxPerKey: [3, 2], maxWaiting: 4 };
  let chapter: ServedChapter;
  const door = makeDoor();
  const sockets: Socket[] = [];

  /** Serves a chapter in which a change of the leader, a read of the guest and a refresh wait at the door. */
  const serve = async (limits: FairQueueLimits = LIMITS, wrap: (ports: Ports) => Partial<Ports> = () => ({})) => {
    const waitAt = (ports: Ports): Partial<Ports> => ({
      users: {
        ...ports.users,
        find: async (id) => {
          if (id === chapter.guest.id) await door.pass();
          return ports.users.find(id);
        },
        write: async (...change) => {
          await door.pass();
          return ports.users.write(...change);
        },
      },
      sessions: {
        ...ports.sessions,
        rotate: async (rotation) => {
          await door.pass();
          return ports.sessions.rotate(rotation);
        },
      },
      ...wrap(ports),
    });
    chapter = await makeServedChapter({ trustedProxies: 1 }, waitAt, undefined, limits);
    for (const user of [chapter.leader, chapter.guest, chapter.user, chapter.southLeader]) await chapter.tokenOf(user);
    door.shut();
  };
  afterEach(() => {
    door.open();
    for (const socket of sockets.splice(0)) socket.destroy();
    return chapter.close();
  });

  const info = (as: User) => chapter.get('/api/info/', as);
  const rename = (as: User) => chapter.send('PATCH', `/api/users/${as.id}`, { as, json: { first_name: 'Ada' } });
  const refresh = (network: number) =>
    chapter.send('POST', '/api/auth/tokens/', {
      json: { refresh_token: 'junk' },
      headers: { 'x-forwarded-for': `10.0.${network}.1` },
    });
  const times = <T>(count: number, run: () => T): T[] => Array.from({ length: count }, run);
  const untilUse = async (running: number, waiting: number): Promise<void> => {
    const isReached = () => chapter.requests.use().running === running && chapter.requests.use().waiting === waiting;
    while (!isReached()) await tick();
  };
  const statusesOf = async (requests: readonly ReturnType<typeof info>[]): Promise<number[]> =>
    (await Promise.all(requests)).map(({ status }) => status);

  it('are shared by caller: one who waits in all of their places does not delay another', async () => {
    await serve();
    const waiting = times(5, () => info(chapter.guest));
    await untilUse(2, 3);
    expect((await info(chapter.user)).status).to.equal(200);
    door.open();
    expect(await statusesOf(waiting)).to.deep.equal([200, 200, 200, 200, 200]);
  });

  it('are shared by operation and network, if there is no caller', async () => {
    await serve();
    const waiting = times(5, () => refresh(1));
    await untilUse(2, 3);
    const login = { username: 'user', password: 'user-secret' };
    const sent = { json: login, headers: { 'x-forwarded-for': '10.0.1.1' } };
    expect((await chapter.send('POST', '/api/auth/login/', sent)).status).to.equal(200);
    waiting.push(refresh(2));
    await untilUse(3, 3);
    door.open();
    expect(await statusesOf(waiting)).to.deep.equal([401, 401, 401, 401, 401, 401]);
  });

  it('are shared by reads and writes: writes of many callers do not delay reads', async () => {
    await serve();
    const waiting = [chapter.leader, chapter.southLeader, chapter.user, chapter.groupless, chapter.admin].map(rename);
    await untilUse(3, 2);
    expect((await info(chapter.user)).status).to.equal(200);
    door.open();
    expect(await statusesOf(waiting)).to.deep.equal([200, 200, 200, 200, 200]);
  });

  it('are refused to a caller with too many requests at once with 429, and one line in the log', async () => {
    await serve();
    const waiting = times(6, () => info(chapter.guest));
    await untilUse(2, 4);
    const { status, headers, body } = await info(chapter.guest);
    expect([status, headers['retry-after'], body.code]).to.deep.equal([429, '1', 'rate_limited']);
    expect(body.detail).to.equal('too many requests at once; wait for the responses to the earlier ones');
    const lines = chapter.log.filter(({ fields }) => fields['requestId'] === headers['x-request-id']);
    expect(lines.map(({ text, fields }) => [text, fields['callerId']])).to.deep.equal([['request', chapter.guest.id]]);
    expect((await info(chapter.user)).status).to.equal(200);
    door.open();
    expect(new Set(await statusesOf(waiting))).to.deep.equal(new Set([200]));
  });

  it('are refused to all with 503 while as many callers wait as the queue admits, and one line in the log', async () => {
    await serve({ maxRunning: 1, maxWaiting: 1 });
    const waiting = [info(chapter.guest)];
    await untilUse(1, 0);
    waiting.push(info(chapter.user));
    await untilUse(1, 1);
    const { status, headers, body } = await chapter.get('/api/users/', chapter.leader);
    expect([status, headers['retry-after'], body.code]).to.deep.equal([503, '1', 'unavailable']);
    expect(headers.vary).to.equal('Origin, Accept');
    expect(chapter.log.filter(({ fields }) => fields['requestId'] === headers['x-request-id'])).to.have.lengthOf(1);
    door.open();
    expect(await statusesOf(waiting)).to.deep.equal([200, 200]);
  });

  it('are not held while a request waits for its body', async () => {
    await serve({ maxRunning: 1, maxWaiting: 4 });
    const token = await chapter.tokenOf(chapter.user);
    const head = [`PATCH /api/users/${chapter.user.id} HTTP/1.1`, 'Host: a', 'Content-Type: application/json'];
    const slow = connect(chapter.port, '127.0.0.1');
    sockets.push(slow);
    slow.write(`${[...head, 'Content-Length: 22', `Authorization: Bearer ${token}`].join('\r\n')}\r\n\r\n{"first`);
    // Two turns: the request has read the caller's rights when it waits for the rest of its body.
    while (chapter.world.hasher.work.count === 0 || chapter.requests.use().running > 0) await tick();
    expect((await info(chapter.leader)).status).to.equal(200);
    door.open();
    slow.write('_name": "Ada"}\n');
    const response = await new Promise<string>((resolve) => slow.once('data', (data) => resolve(String(data))));
    expect(response).to.match(/^HTTP\/1\.1 200 /);
  });

  it('are not held while a request waits for a hash', async () => {
    await serve({ maxRunning: 1, maxWaiting: 4 }, ({ hasher }) => ({
      hasher: {
        ...hasher,
        verify: async (password, hash, request) => {
          if (password === 'guess') await request?.pause?.(door.pass);
          return hasher.verify(password, hash, request);
        },
      },
    }));
    const login = chapter.send('POST', '/api/auth/login/', { json: { username: 'user', password: 'guess' } });
    await tick();
    expect((await info(chapter.leader)).status).to.equal(200);
    door.open();
    expect((await login).status).to.equal(401);
  });

  it('are not given to a request whose client has disconnected', async () => {
    await serve({ maxRunning: 1, maxWaiting: 4 });
    const [running] = [info(chapter.guest)];
    await untilUse(1, 0);
    const token = await chapter.tokenOf(chapter.user);
    const gone = connect(chapter.port, '127.0.0.1');
    gone.write(`GET /api/info/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await untilUse(1, 1);
    gone.destroy();
    const isLogged = () => chapter.log.some(({ fields }) => fields['callerId'] === chapter.user.id);
    const find = chapter.world.actors.find.bind(chapter.world.actors);
    const found: string[] = [];
    Object.assign(chapter.world.actors, {
      find: (id: string, session: string) => {
        found.push(id);
        return find(id, session);
      },
    });
    // The server learns of the end of the connection before it is asked to serve.
    for (let at = 0; at < 100; at++) await tick();
    door.open();
    expect((await running)?.status).to.equal(200);
    while (!isLogged()) await tick();
    expect(found).not.to.include(chapter.user.id);
  });
});
