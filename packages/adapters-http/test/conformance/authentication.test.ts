import { setImmediate } from 'node:timers/promises';
import { unavailable } from '@chapter/domain/api';
import { expect } from 'chai';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';

const NEEDS_TOKEN = ['/api/auth/sessions/', '/api/users/', '/api/divisions/', '/api/auth/groups/', '/api/info/'];

describe('A caller', () => {
  const chapter = useServedChapter();

  const refused = [
    ['authentication_required', '', [undefined, 'Basic YTpi', 'Token x']],
    [
      'invalid_token',
      ', error="invalid_token"',
      ['x', '', 'a b', '\t', 'access.unknown.unknown'].map((x) => `Bearer ${x}`),
    ],
  ] as const;
  for (const path of NEEDS_TOKEN) {
    for (const [code, error, sent] of refused) {
      it(`gets 401 ${code} with a challenge at ${path}`, async () => {
        for (const authorization of sent) {
          const response = await chapter.get(path, undefined, authorization === undefined ? {} : { authorization });
          expect([response.status, response.body.code], authorization).to.deep.equal([401, code]);
          expect(response.headers['www-authenticate']).to.equal(`Bearer realm="chapter"${error}`);
        }
      });
    }
  }

  it('can send a token only in the header, not in the query, in a cookie, in a form or in a JSON body', async () => {
    const { send, tokenOf, leader } = chapter;
    const token = await tokenOf(leader);
    for (const name of ['access_token', 'token', 'authorization', 'bearer', 'jwt']) {
      expect(await send('GET', `/api/info/?${name}=${token}`)).to.include({ status: 401 });
      expect(await send('GET', '/api/info/', { headers: { cookie: `${name}=${token}` } })).to.include({ status: 401 });
      expect(await send('POST', '/api/users/', { json: { [name]: token } })).to.include({ status: 401 });
    }
    for (const name of ['proxy-authorization', 'x-authorization', 'x-access-token']) {
      expect(await send('GET', '/api/info/', { headers: { [name]: `Bearer ${token}` } })).to.include({ status: 401 });
    }
    const form = { raw: `access_token=${token}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect(await send('POST', '/api/users/', form)).to.include({ status: 401 });
  });

  it('needs no token for public paths, and may send an invalid one', async () => {
    const headers = { authorization: 'Bearer nonsense' };
    expect(await chapter.get('/api/auth/keys/', undefined, headers)).to.include({ status: 200 });
    const login = { json: { username: 'user', password: 'user-secret' }, headers };
    expect(await chapter.send('POST', '/api/auth/login/', login)).to.include({ status: 200 });
  });

  it('gets the same response for an unknown name, a wrong password and an inactive user', async () => {
    await chapter.admit('inactive', ['User'], { isActive: false });
    const attempts = [
      { username: 'unknown', password: 'x' },
      { username: 'user', password: 'wrong' },
      { username: 'inactive', password: 'inactive-secret' },
      { username: 'no such name, with spaces', password: 'x' },
    ];
    const responses = await Promise.all(
      attempts.map((json) => chapter.send('POST', '/api/auth/login/', { json, headers: { 'x-request-id': 'same' } })),
    );
    for (const { status, headers, text } of responses) {
      expect(status).to.equal(401);
      expect(text).to.equal(responses[0]?.text);
      expect(headers['www-authenticate']).to.equal('Bearer realm="chapter"');
    }
    expect(responses[0]?.body.code).to.equal('invalid_credentials');
  });

  it('gets 429 with Retry-After after too many failures, only from the same network', async () => {
    await using behind = await makeServedChapter({ trustedProxies: 1 });
    const attempt = (client: string, password = 'wrong') =>
      behind.send('POST', '/api/auth/login/', {
        json: { username: 'user', password },
        headers: { 'x-forwarded-for': `9.9.9.9, ${client}` },
      });
    for (let tries = 0; tries < 10; tries++) expect(await attempt(`203.0.113.${tries}`)).to.include({ status: 401 });
    const limited = await attempt('203.0.113.99', 'user-secret');
    expect(limited.status).to.equal(429);
    expect(limited.body.code).to.equal('rate_limited');
    expect(Number(limited.headers['retry-after'])).to.be.within(1, 900);
    expect(await attempt('198.51.100.1', 'user-secret')).to.include({ status: 200 });
  });
});

describe('A failure during a request', () => {
  const failing = (reason: unknown) =>
    makeServedChapter({}, ({ users }) => ({
      users: {
        ...users,
        find: () => Promise.reject(reason),
        list: () => Promise.reject(reason),
      },
    }));

  it('is a 500 without details, and a log line without data from the request', async () => {
    await using chapter = await failing(new Error('relation "user_account": key (email)=(ada@example.org)'));
    const { status, text, body } = await chapter.get('/api/users/?search=ada', chapter.leader);
    expect(status).to.equal(500);
    expect(body.code).to.equal('internal_error');
    expect(text).to.not.match(/relation|ada@|at \w/);
    const line = chapter.log.find(({ level }) => level === 'error');
    expect(line?.fields).to.include({ requestId: body.request_id, route: '/api/users/' });
    expect(JSON.stringify(line)).to.include('authentication.test.ts').and.not.include('ada@');
  });

  it('of a look-up is reported after an error of the caller, and an unverified token causes no look-up', async () => {
    let lookUps = 0;
    const find = async () => {
      lookUps += 1;
      throw unavailable();
    };
    const { close, get, leader, tokenOf, useCases, user, world } = await makeServedChapter({}, ({ users }) => ({
      users: { ...users, find },
    }));
    const { actors } = world;
    // Later than the failure of the look-up.
    const findActor = async (...caller: Parameters<typeof actors.find>) => {
      await setImmediate();
      return actors.find(...caller);
    };
    Object.assign(world, { actors: { find: findActor } });
    const path = `/api/users/${user.id}/`;
    expect(await get(path, undefined, { authorization: 'Bearer x' })).to.include({ status: 401 });
    expect(lookUps).to.equal(0);
    expect(await get(path, leader)).to.include({ status: 503 });
    const { sid, sub } = await world.accessTokens.verify(await tokenOf(leader));
    await world.sessions.endOne(sid, sub);
    expect(await get(path, leader)).to.include({ status: 401 });
    // Also of use cases that ignored the caller.
    for (const getUser of [find, async () => user]) {
      Object.assign(useCases, { getUser });
      expect(await get(path, leader)).to.include({ status: 401 });
    }
    await close();
  });

  it('is a 503 with Retry-After if a dependency is unavailable', async () => {
    await using chapter = await failing(unavailable(new Error('connect ECONNREFUSED 10.0.0.7:5432'), 2));
    const { status, headers, text } = await chapter.get('/api/users/', chapter.leader);
    expect(status).to.equal(503);
    expect(headers['retry-after']).to.equal('2');
    expect(text).to.not.include('ECONNREFUSED');
    expect(chapter.log.some(({ level }) => level === 'warn')).to.equal(true);
  });
});
