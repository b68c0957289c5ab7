import { expect } from 'chai';
import { makeServedChapter, type ServedChapter, useServedChapter } from '../support/chapter.ts';

const ID = '0190a000-0000-7000-8000-00000000000f';

/** All paths with their methods (contract §1). */
const allowed: Record<string, string> = {
  '/api/auth/login/': 'POST',
  '/api/auth/tokens/': 'POST, DELETE',
  '/api/auth/sessions/': 'GET, HEAD',
  [`/api/auth/sessions/${ID}`]: 'DELETE',
  '/api/auth/user/': 'GET, HEAD',
  '/api/auth/permissions/': 'GET, HEAD',
  '/api/auth/keys/': 'GET, HEAD',
  '/api/auth/passwords/': 'POST',
  [`/api/users/${ID}/password-links/`]: 'POST',
  '/api/auth/groups/': 'GET, HEAD',
  '/api/users/': 'GET, HEAD, POST',
  [`/api/users/${ID}/`]: 'GET, HEAD',
  [`/api/users/${ID}`]: 'PATCH, DELETE',
  '/api/users/not-a-uuid': 'PATCH, DELETE',
  '/api/divisions/': 'GET, HEAD',
  [`/api/divisions/${ID}/`]: 'GET, HEAD',
  [`/api/divisions/${ID}`]: 'PATCH',
  [`/api/divisions/${ID}/statistics/`]: 'GET, HEAD',
  [`/api/division/${ID}/users/`]: 'GET, HEAD',
  '/api/info/': 'GET, HEAD',
  '/api/docs/': 'GET, HEAD',
  '/api/openapi/': 'GET, HEAD',
  '/password/': 'GET, HEAD',
};

describe('Routes', () => {
  const chapter = useServedChapter();

  for (const [path, allow] of Object.entries(allowed)) {
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
    const refused = methods.filter((method) => !allow.split(', ').includes(method));

    it(`${path} rejects ${refused.join(', ')}, with or without a token, and lists its methods`, async () => {
      for (const method of refused) {
        for (const as of [undefined, chapter.leader]) {
          const { status, headers, body } = await chapter.send(method, path, { as });
          expect(status, method).to.equal(405);
          expect(headers['allow'], method).to.equal(allow);
          if (method !== 'HEAD') expect(body).to.include({ code: 'method_not_allowed', status: 405 });
        }
      }
    });

    it(`${path} lists its methods for OPTIONS`, async () => {
      const { status, headers, text } = await chapter.send('OPTIONS', path);
      expect(status).to.equal(204);
      expect(headers['allow']).to.equal(allow);
      expect(text).to.equal('');
    });
  }

  it('name the allowed methods in the detail of a 405', async () => {
    const { send } = chapter;
    expect((await send('PUT', '/api/users/')).body.detail).to.equal('method not allowed; use GET, HEAD or POST');
    expect((await send('PUT', '/api/auth/login/')).body.detail).to.equal('method not allowed; use POST');
  });

  it('name the path with the other slash in the detail of a 405, if the method works there', async () => {
    const detailOf = async (method: string, path: string): Promise<string> =>
      (await chapter.send(method, path)).body.detail;
    const toRead = 'method not allowed; use PATCH or DELETE';
    expect(await detailOf('GET', `/api/users/${ID}`)).to.equal(`${toRead}, or GET \`/api/users/{id}/\``);
    const toChange = 'method not allowed; use GET or HEAD';
    expect(await detailOf('PATCH', `/api/divisions/${ID}/`)).to.equal(`${toChange}, or PATCH \`/api/divisions/{id}\``);
    expect(await detailOf('DELETE', `/api/divisions/${ID}/`)).to.equal(toChange);
  });

  const unknown = [
    '/',
    '/api',
    '/api/',
    '/api/Users/',
    '/API/users/',
    '/api/users//',
    '//api/users/',
    '/api/%75sers/',
    `/api/users/${ID}/x`,
    `/api/users/${ID}//`,
    '/api/users.json',
    '/api/division/',
    `/api/division/${ID}/`,
    `/api/divisions/${ID}/users/`,
    '/api/auth/',
    '/favicon.ico',
  ];
  for (const path of unknown) {
    it(`${path} returns 404, with or without a token`, async () => {
      for (const as of [undefined, chapter.leader]) {
        const { status, body } = await chapter.get(path, as);
        expect(status).to.equal(404);
        expect(body).to.include({ code: 'not_found', title: 'Not Found', type: 'about:blank' });
      }
    });
  }

  const slashes: [string, string][] = [
    ['/api/users', '/api/users/'],
    ['/api/divisions', '/api/divisions/'],
    ['/api/auth/login', '/api/auth/login/'],
    ['/api/auth/sessions', '/api/auth/sessions/'],
    [`/api/auth/sessions/${ID}/`, `/api/auth/sessions/${ID}`],
    ['/api/info', '/api/info/'],
    ['/api/docs', '/api/docs/'],
    ['/password', '/password/'],
    [`/api/division/${ID}/users`, `/api/division/${ID}/users/`],
  ];
  for (const [wrong, right] of slashes) {
    it(`${wrong} returns 404 and suggests the right path`, async () => {
      const { status, headers, body } = await chapter.get(wrong, chapter.leader);
      expect(status).to.equal(404);
      expect(body.detail).to.include(`\`${right}\``);
      expect(headers).to.not.have.property('location');
    });
  }

  it('return 404 and suggest a path without the part that is no id, because it may be a secret', async () => {
    for (const part of ['secret', '%1b%5b2J', 'x'.repeat(5000)]) {
      const { body } = await chapter.get(`/api/division/${part}/users`, chapter.leader);
      expect(body.detail).to.equal('this path does not exist; did you mean `/api/division/{id}/users/`?');
    }
  });

  it('/ returns 404 and names the documentation, if it is enabled', async () => {
    const detailOf = async ({ get }: ServedChapter): Promise<string> => (await get('/')).body.detail;
    expect(await detailOf(chapter)).to.equal('this path does not exist; the documentation is at `/api/docs/`');
    await using bare = await makeServedChapter({ docs: false });
    expect(await detailOf(bare)).to.equal('this path does not exist');
  });

  it('respond to HEAD as to GET, without the body', async () => {
    const { leader, north, get, send } = chapter;
    const paths = [
      '/api/users/?page_size=1',
      `/api/users/${leader.id}/`,
      `/api/divisions/${north.id}/`,
      `/api/division/${north.id}/users/`,
      `/api/divisions/${north.id}/statistics/`,
      '/api/info/',
      '/api/auth/groups/',
      '/api/auth/keys/',
      '/api/openapi/',
      '/api/docs/',
      '/password/',
      '/api/users/?nonsense=1',
      `/api/users/${ID}/`,
      '/api/nowhere/',
    ];
    for (const path of paths) {
      const headers = { 'x-request-id': 'same' };
      const [full, head] = [await get(path, leader, headers), await send('HEAD', path, { as: leader, headers })];
      const { date: _, ...expected } = full.headers;
      const { date: __, ...found } = head.headers;
      expect(head.status, path).to.equal(full.status);
      expect(found, path).to.deep.equal(expected);
      expect(head.text).to.equal('');
    }
  });
});
