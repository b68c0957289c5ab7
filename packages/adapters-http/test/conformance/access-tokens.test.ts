import { makeRoutes } from '@chapter/adapters-http';
import { readingActions, sessionActions, type UseCases, type User } from '@chapter/domain/api';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';

const TOKENS = '/api/auth/access-tokens/';
const expires_at = '2026-12-31T00:00:00.000Z';

describe('A personal access token', () => {
  const chapter = useServedChapter({ each: true });

  const create = async (as: User, more: object = {}) => {
    const { body, status } = await chapter.send('POST', TOKENS, { as, json: { name: 'script', expires_at, ...more } });
    expect(status).to.equal(201);
    return body as { id: string; token: string };
  };
  const send = (token: string, method: string, path: string, json?: object) =>
    chapter.send(method, path, { ...(json && { json }), headers: { authorization: `Bearer ${token}` } });

  it('is created and shown once, listed with the day of its last use, and ended', async () => {
    const { get, user } = chapter;
    const [first, second] = [await create(user), await create(user, { read_only: true })];
    expect(first.token).to.match(/^chapter_pat_[0-9a-f]{72}$/);
    expect(Object.keys(first)).to.have.members([
      'id',
      'name',
      'read_only',
      'created_at',
      'expires_at',
      'last_used_on',
      'token',
    ]);
    expect((await send(first.token, 'GET', '/api/info/')).body).to.include({ username: 'user' });
    const { token: _, ...shown } = second;
    const today = chapter.world.clock.now().slice(0, 10);
    const listed = await get(TOKENS, user);
    expect(listed.body).to.deep.equal(
      [shown, { ...first, last_used_on: today, token: undefined }].map(withoutUndefined),
    );
    expect(await chapter.send('DELETE', TOKENS + first.id.toUpperCase(), { as: user })).to.include({ status: 204 });
    const ended = await send(first.token, 'GET', '/api/info/');
    const wrong = await send('x', 'GET', '/api/info/');
    expect(ended).to.include({ status: 401 });
    expect({ ...ended.body, request_id: '' }).to.deep.equal({ ...wrong.body, request_id: '' });
    expect(ended.headers['www-authenticate']).to.equal(wrong.headers['www-authenticate']);
    expect((await get(TOKENS, user)).body).to.have.length(1);
  });

  it('is 404 at its end if it is that of another user, an unknown one or no id', async () => {
    const { leader, send: sendAs, user } = chapter;
    const { id, token } = await create(user);
    for (const unknown of [id, leader.id, 'x']) {
      expect(await sendAs('DELETE', TOKENS + unknown, { as: leader })).to.include({ status: 404 });
    }
    expect(await sendAs('DELETE', `${TOKENS}${id}?x=1`, { as: user })).to.include({ status: 422 });
    expect(await send(token, 'GET', '/api/info/')).to.include({ status: 200 });
  });

  it('is refused for sessions, tokens and password links, read-only or not', async () => {
    const { leader, user } = chapter;
    const { token } = await create(leader);
    const readOnly = await create(leader, { read_only: true });
    const sessionRoutes = makeRoutes({} as UseCases).filter(({ operationId }) => sessionActions.includes(operationId));
    expect(sessionRoutes).to.have.length(sessionActions.length);
    for (const { method, path } of sessionRoutes) {
      for (const secret of [token, readOnly.token]) {
        // Neither the id nor the body matters.
        const { body, status } = await send(
          secret,
          method,
          path.replace('{id}', user.id),
          method === 'POST' ? [] : undefined,
        );
        expect([status, body.code], path).to.deep.equal([403, 'session_required']);
        expect(body.detail).to.include('personal access token');
      }
    }
  });

  it('permits GET and HEAD only if it is read-only', async () => {
    const { north, leader, user } = chapter;
    const { token } = await create(leader, { read_only: true });
    for (const { isPublic, method, operationId, path } of makeRoutes({} as UseCases)) {
      if (isPublic || sessionActions.includes(operationId)) continue;
      expect(readingActions.includes(operationId), operationId).to.equal(method === 'GET');
      const target = path.replace('{id}', path.startsWith('/api/division') ? north.id : user.id);
      const { body, status } = await send(token, method, target, method === 'GET' ? undefined : {});
      if (method !== 'GET') expect([status, body.code], operationId).to.deep.equal([403, 'read_only_token']);
      // The Leader is no Administrator.
      else expect(status, operationId).to.equal(operationId === 'listDivisions' ? 403 : 200);
      if (method === 'GET' && status === 200) expect((await send(token, 'HEAD', target)).status).to.equal(200);
    }
  });

  it('is looked up in the share of the network, and its request served in that of the user', async () => {
    const { requests, user } = chapter;
    const { token } = await create(user);
    const shares: unknown[] = [];
    const run = requests.run.bind(requests);
    requests.run = (share, work, call) => (shares.push(share), run(share, work, call));
    await send(token, 'GET', '/api/info/');
    await chapter.get('/api/info/', user);
    requests.run = run;
    const ofUser = ['reads', user.id];
    expect(shares).to.deep.equal([['reads', 'personal access tokens 127.0.0.0/24'], ofUser, ofUser]);
  });

  it('is not in the log, but its user is', async () => {
    const { log, user } = chapter;
    const { token } = await create(user, { name: 'a secret name' });
    await send(token, 'GET', `/api/info/?token=${token}`);
    await send(token.replace(/.$/, 'x'), 'GET', '/api/info/');
    expect(JSON.stringify(log)).not.to.match(/chapter_pat|secret name/);
    expect(log.map(({ fields }) => fields['callerId'])).to.deep.equal([user.id, user.id, null]);
  });
});

const withoutUndefined = (value: object): unknown => JSON.parse(JSON.stringify(value));
