import { expect } from 'chai';
import { makeServedChapter, type ServedChapter, useServedChapter } from '../support/chapter.ts';
import { type TestResponse } from '../support/send.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('Headers of every response', () => {
  const chapter = useServedChapter();

  const responses: [string, (chapter: ServedChapter, headers: Record<string, string>) => Promise<TestResponse>][] = [
    ['200', ({ get, leader }, headers) => get('/api/users/', leader, headers)],
    ['204', ({ send }, headers) => send('DELETE', '/api/auth/tokens/', { json: { refresh_token: 'x' }, headers })],
    [
      '304',
      ({ get, leader }, headers) => get(`/api/users/${leader.id}/`, leader, { ...headers, 'if-none-match': '*' }),
    ],
    [
      '400',
      ({ send }, headers) =>
        send('POST', '/api/auth/login/', { raw: '{', headers: { ...headers, 'content-type': 'application/json' } }),
    ],
    ['401', ({ get }, headers) => get('/api/users/', undefined, headers)],
    ['403', ({ get, user }, headers) => get('/api/users/', user, headers)],
    ['404', ({ get }, headers) => get('/nowhere', undefined, headers)],
    ['405', ({ send }, headers) => send('PUT', '/api/users/', { headers })],
    ['415', ({ send }, headers) => send('POST', '/api/auth/login/', { raw: 'x', headers })],
    ['422', ({ get, leader }, headers) => get('/api/users/?x=1', leader, headers)],
    ['OPTIONS', ({ send }, headers) => send('OPTIONS', '/api/users/', { headers })],
  ];
  for (const [status, ask] of responses) {
    it(`are on a ${status}`, async () => {
      const { headers, body } = await ask(chapter, { 'x-request-id': 'My.request_id-1' });
      expect(headers).to.include({
        'x-request-id': 'My.request_id-1',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        // A list is available as CSV too.
        vary: ['200', '401', '403', '422'].includes(status) ? 'Origin, Accept' : 'Origin',
      });
      expect(headers).to.not.have.any.keys('x-powered-by', 'server', 'strict-transport-security');
      if (body?.code) {
        expect(headers['content-type']).to.equal('application/problem+json');
        expect(body.request_id).to.equal('My.request_id-1');
        expect(body.status).to.equal(Number(status));
      }
    });
  }

  it('have a new request id if the client sends no valid one', async () => {
    const bad = ['', ' ', 'a b', 'a/b', 'ü', 'x'.repeat(129), '"x"', '<script>'].map((id) => ({ 'x-request-id': id }));
    for (const sent of [{}, ...bad]) {
      const { headers, body } = await chapter.get('/nowhere', undefined, sent);
      expect(headers['x-request-id']).to.match(UUID);
      expect(body.request_id).to.equal(headers['x-request-id']);
    }
    const { headers } = await chapter.get('/nowhere', undefined, { 'x-request-id': 'x'.repeat(128) });
    expect(headers['x-request-id']).to.equal('x'.repeat(128));
  });

  for (const [hstsIncludesSubdomains, value] of [
    [false, 'max-age=31536000'],
    [true, 'max-age=31536000; includeSubDomains'],
  ] as const) {
    it(`include Strict-Transport-Security: ${value} if it is enabled`, async () => {
      await using secure = await makeServedChapter({ hsts: true, hstsIncludesSubdomains });
      for (const path of ['/api/info/', '/nowhere']) {
        const { headers } = await secure.get(path, secure.user);
        expect(headers['strict-transport-security']).to.equal(value);
      }
    });
  }

  it('allow pages of the configured origins only', async () => {
    const allowed = await chapter.get('/api/info/', chapter.user, { origin: 'https://app.example.org' });
    expect(allowed.headers).to.include({
      'access-control-allow-origin': 'https://app.example.org',
      'access-control-expose-headers': 'Content-Disposition, ETag, Location, Retry-After, X-Request-Id',
      vary: 'Origin',
    });
    expect(allowed.headers).to.not.have.property('access-control-allow-credentials');
    const refusedToo = await chapter.get('/api/info/', undefined, { origin: 'https://app.example.org' });
    expect(refusedToo.status).to.equal(401);
    expect(refusedToo.headers).to.include({ 'access-control-allow-origin': 'https://app.example.org' });
    const others = [
      'null',
      '*',
      'https://example.org',
      'http://app.example.org',
      'https://app.example.org.evil.com',
      'https://evil.com?https://app.example.org',
      'https://app.example.org:8443',
      'https://APP.example.org',
      'https://xapp.example.org',
    ];
    for (const origin of others) {
      const { headers, status } = await chapter.get('/api/info/', chapter.user, { origin });
      expect(status).to.equal(200);
      expect(headers['vary']).to.equal('Origin');
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
    }
  });

  it('allow a preflight from a configured origin, and list the methods for other OPTIONS requests', async () => {
    const preflight = (origin: string) =>
      chapter.send('OPTIONS', '/api/users/', {
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    const allowed = await preflight('https://app.example.org');
    expect(allowed.status).to.equal(204);
    expect(allowed.headers).to.include({
      'access-control-allow-origin': 'https://app.example.org',
      'access-control-allow-methods': 'GET,HEAD,POST,PATCH,DELETE',
      'access-control-max-age': '600',
      'access-control-allow-headers':
        'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,traceparent,tracestate,X-Request-Id',
    });
    const foreign = await preflight('https://evil.com');
    expect(foreign.status).to.equal(204);
    expect(foreign.headers['allow']).to.equal('GET, HEAD, POST');
    expect(Object.keys(foreign.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
  });
});
