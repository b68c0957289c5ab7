import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

describe('Preconditions', () => {
  const chapter = useServedChapter({ each: true });

  it('return 304 for a current copy, for GET and HEAD', async () => {
    const { get, send, guest, user, north } = chapter;
    for (const path of [`/api/users/${user.id}/`, `/api/divisions/${north.id}/`]) {
      const { headers } = await get(path, guest);
      expect(headers['etag']).to.match(/^"[\x21\x23-\x7e]+"$/);
      const same = { 'if-none-match': `"x", W/${headers['etag']}` };
      for (const method of ['GET', 'HEAD']) {
        const again = await send(method, path, { as: guest, headers: same });
        expect(again).to.include({ status: 304, text: '' });
        expect(again.headers['etag']).to.equal(headers['etag']);
        expect(again.headers).to.not.have.any.keys('content-type', 'content-length');
      }
      expect(await get(path, guest, { 'if-none-match': '"x"' })).to.include({ status: 200 });
    }
  });

  it('allow a change only in the state that they name', async () => {
    const { get, send, leader, user, north } = chapter;
    const targets: [string, object, object][] = [
      [`/api/users/${user.id}`, { last_name: 'A' }, { last_name: 'B' }],
      [`/api/divisions/${north.id}`, { logo: 'https://a.org' }, { logo: 'https://b.org' }],
    ];
    for (const [path, first, second] of targets) {
      const { headers } = await get(`${path}/`, leader);
      const stale = headers['etag'] ?? '';
      const change = (json: object, ifMatch: string) =>
        send('PATCH', path, { as: leader, json, headers: { 'if-match': ifMatch } });
      const changed = await change(first, `"x", ${stale}`);
      expect(changed.status).to.equal(200);
      expect(changed.headers['etag']).to.not.equal(stale);
      expect((await get(`${path}/`, leader)).headers['etag']).to.equal(changed.headers['etag']);
      expect((await change(second, stale)).body).to.include({ status: 412, code: 'precondition_failed' });
      expect(await change(second, '*')).to.include({ status: 200 });
    }
  });

  it('of a member come with all fields of themself', async () => {
    const { get, send, user } = chapter;
    const { headers, body } = await get('/api/auth/user/', user);
    const ifMatch = { 'if-match': headers['etag'] ?? '' };
    const changed = await send('PATCH', `/api/users/${user.id}`, {
      as: user,
      json: { email: 'me@b.org' },
      headers: ifMatch,
    });
    expect(changed).to.deep.include({ status: 200, body: { ...body, email: 'me@b.org' } });
    expect((await get('/api/auth/user/', user)).headers['etag']).to.equal(changed.headers['etag']);
  });

  it('apply to a deletion too', async () => {
    const { get, send, leader, user } = chapter;
    const { headers } = await get(`/api/users/${user.id}/`, leader);
    const remove = (ifMatch: string) =>
      send('DELETE', `/api/users/${user.id}`, { as: leader, headers: { 'if-match': ifMatch } });
    expect(await remove('"x"')).to.include({ status: 412 });
    expect(await remove(headers['etag'] ?? '')).to.include({ status: 204 });
  });
});

describe('An Idempotency-Key', () => {
  const chapter = useServedChapter();

  const create = (username: string, key: string | string[], password = 'correct horse') =>
    chapter.send('POST', '/api/users/', {
      as: chapter.leader,
      json: { username, password },
      headers: { 'idempotency-key': key },
    });

  it('creates a user only once', async () => {
    const [first, second] = [await create('once', 'k!1'), await create('once', 'k!1')];
    expect(first.status).to.equal(201);
    expect(second).to.deep.include({ status: 201, text: first.text });
    for (const name of ['location', 'etag']) expect(second.headers[name]).to.equal(first.headers[name]);
    expect((await chapter.get('/api/users/?username=once&count=true', chapter.leader)).body.count).to.equal(1);
  });

  for (const key of ['', ' ', 'a b', 'ü', 'x'.repeat(256), ['a', 'b']]) {
    it(`is rejected as ${JSON.stringify(key).slice(0, 20)}`, async () => {
      const response = await create('never', key);
      expect(response.status).to.equal(422);
      expect(faultsOf(response)).to.deep.equal(['Idempotency-Key invalid_format']);
    });
  }

  it('may have 255 characters', async () =>
    expect(await create('longest', '~'.repeat(255))).to.include({ status: 201 }));
});
