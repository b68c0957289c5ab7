import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { User } from '@chapter/domain';
import { expect } from 'chai';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';

const DEADLINE = { requestDeadlineMs: 1000 };

describe('A request that takes too long', () => {
  /** What look-ups of the guest wait for. */
  let database = Promise.withResolvers<null>();
  const hashing = Promise.withResolvers<void>();
  const serve = () =>
    makeServedChapter(
      DEADLINE,
      ({ users, hasher }) => ({
        users: {
          ...users,
          find: async (id) => {
            const user = await users.find(id);
            return user?.username === 'guest' ? database.promise : user;
          },
        },
        hasher: {
          ...hasher,
          hash: async (_, request) => {
            while (!request?.isAbandoned?.()) await turn();
            hashing.resolve();
            throw new Error('given up');
          },
        },
      }),
      undefined,
      { maxRunning: 1, maxWaiting: 10 },
    );
  const chapter = useServedChapter({ serve });
  const getGuest = (as: User) => chapter.get(`/api/users/${chapter.guest.id}/`, as);

  beforeEach(() => {
    database = Promise.withResolvers();
  });

  it('returns 503 with Retry-After at its deadline, and gives its place to others', async () => {
    const { status, headers, body } = await getGuest(chapter.leader);
    expect(status).to.equal(503);
    expect(headers['retry-after']).to.equal('1');
    expect(body).to.include({ code: 'unavailable' });
    expect((await chapter.get('/api/info/', chapter.leader)).status).to.equal(200);
    expect(chapter.requests.use()).to.deep.equal({ running: 0, waiting: 0 });
    const lines = chapter.log.length;
    database.resolve(null);
    await turn();
    expect(chapter.log).to.have.lengthOf(lines);
  });

  it('gives back the place in which its personal access token is looked up', async () => {
    Object.assign(chapter.world.personalTokens, { use: () => database.promise });
    const headers = { authorization: `Bearer ${chapter.world.personalTokenFormat.issue().token}` };
    expect((await chapter.send('GET', '/api/info/', { headers })).status).to.equal(503);
    expect(chapter.requests.use()).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('does not begin its work when its turn comes after the deadline, or ends it', async () => {
    const json = { username: 'ada', password: 'analytical engine' };
    const { status } = await chapter.send('POST', '/api/users/', { as: chapter.leader, json });
    expect(status).to.equal(503);
    await hashing.promise;
    expect(chapter.requests.use()).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('returns 503 also while it waits for its turn', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const other = chapter.requests.run(['other'], () => promise);
    expect((await chapter.get('/api/info/', chapter.leader)).status).to.equal(503);
    expect(chapter.requests.use()).to.deep.equal({ running: 1, waiting: 1 });
    resolve();
    await other;
    await turn();
    expect(chapter.requests.use()).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('is not one whose body takes long to arrive', async () => {
    const token = await chapter.tokenOf(chapter.leader);
    const body = JSON.stringify({ first_name: 'Ada' });
    const socket = connect(chapter.port, '127.0.0.1');
    const head = ['Host: a', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
    const line = `PATCH /api/users/${chapter.user.id} HTTP/1.1`;
    socket.write(`${[line, ...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`);
    // This request begins later, so the other one has had as much time when it ends.
    expect((await getGuest(chapter.leader)).status).to.equal(503);
    socket.write(body);
    const [response] = await once(socket, 'data');
    socket.destroy();
    expect(String(response)).to.match(/^HTTP\/1\.1 200 /);
  });
});
