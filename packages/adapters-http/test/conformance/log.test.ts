import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';

describe('The log', () => {
  const chapter = useServedChapter({ each: true });

  it('has one line per request: id, caller, method, route, status, duration', async () => {
    const { get, leader, user, log, counted } = chapter;
    await get(`/api/users/${user.id}/`, leader, { 'x-request-id': 'r1' });
    await get('/nowhere?secret=1', undefined, { 'x-request-id': 'r2' });
    await get('/api/info/', undefined, { 'x-request-id': 'r3', authorization: 'Bearer x' });
    expect(log.map(({ text }) => text)).to.deep.equal(['request', 'request', 'request']);
    const [first, second, third] = log.map(({ fields }) => ({ ...fields, milliseconds: undefined }));
    expect(first).to.deep.include({
      requestId: 'r1',
      callerId: leader.id,
      method: 'GET',
      route: '/api/users/{id}/',
      status: 200,
    });
    expect(second).to.deep.include({ requestId: 'r2', callerId: null, method: 'GET', route: null, status: 404 });
    expect(third).to.deep.include({ requestId: 'r3', callerId: null, method: 'GET', route: '/api/info/', status: 401 });
    expect(log[0]?.fields['milliseconds']).to.be.a('number');
    expect(counted).to.have.lengthOf(3);
    expect(counted[0]).to.include({ method: 'GET', route: '/api/users/{id}/', status: 200 });
  });

  it('contains the code of every problem, so that conflicts can be found', async () => {
    const { send, leader, log } = chapter;
    await send('POST', '/api/users/', { as: leader, json: { username: 'user', password: 'a new secret' } });
    expect(log.map(({ fields }) => fields)).to.have.lengthOf(1);
    expect(log[0]?.fields).to.include({ callerId: leader.id, status: 409, code: 'username_taken' });
  });

  it('contains no data from the request: no token, password, body or parameter', async () => {
    const { get, send, leader, user, log, tokenOf } = chapter;
    await send('POST', '/api/auth/login/', { json: { username: 'user', password: 'user-secret' } });
    await send('POST', '/api/auth/login/', { json: { username: 'user', password: 'wrong-secret' } });
    await send('POST', '/api/auth/tokens/', { json: { refresh_token: 'refresh-secret' } });
    await send('PATCH', `/api/users/${user.id}`, { as: leader, json: { password: 'new-secret', last_name: 'Secret' } });
    await send('POST', '/api/users/', {
      as: leader,
      raw: '{"password":"broken-secret"',
      headers: { 'content-type': 'application/json' },
    });
    await get('/api/users/?email=secret@example.org&access_token=token-secret', leader);
    const written = JSON.stringify(log);
    expect(log).to.have.lengthOf(6);
    expect(written).to.not.match(/secret|Secret/);
    expect(written).to.not.include(await tokenOf(leader));
  });

  it('shares its request ids with the audit trail', async () => {
    const { send, user, world } = chapter;
    const headers = { 'x-request-id': 'r9' };
    await send('PATCH', `/api/users/${user.id}`, { as: user, json: { last_name: 'A' }, headers });
    const [entry] = await world.audit.list({ limit: 1 });
    expect(entry).to.include({ action: 'updateUser', authorId: user.id, requestId: 'r9' });
  });
});
