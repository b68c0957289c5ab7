import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../chapter.ts';
import { exchange } from '../exchange.ts';

const LOGIN = 'POST /api/auth/login/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

describe('A request that could not be read', () => {
  let chapter: ServedChapter;
  before(async () => {
    chapter = await makeServedChapter({}, undefined, { headers: 50, request: 50, interval: 10 });
  });
  after(() => chapter.close());
  beforeEach(() => {
    chapter.log.length = 0;
    chapter.counted.length = 0;
  });

  const unread: [string, string, number, { method: string | null; route: string | null }][] = [
    ['is no HTTP', 'secret\r\n\r\n', 400, { method: null, route: null }],
    ['has endless headers', `GET / HTTP/1.1\r\nsecret: ${'x'.repeat(300_000)}`, 431, { method: null, route: null }],
    ['wants a tunnel', 'CONNECT secret:443 HTTP/1.1\r\nHost: secret\r\n\r\n', 400, { method: 'CONNECT', route: null }],
    ['stops in its headers', 'GET /?secret HTTP/1.1\r\nHost: a\r\nX-Secret: s', 408, { method: null, route: null }],
    [
      'stops in its body',
      `${LOGIN}X-Request-Id: r1\r\nContent-Length: 99\r\n\r\n{"username":"secret`,
      408,
      { method: 'POST', route: '/api/auth/login/' },
    ],
  ];
  for (const [words, bytes, status, what] of unread) {
    it(`is logged and counted as ${status} where it ${words}, and nothing of what was sent`, async () => {
      const { log, counted } = chapter;
      const { body } = await exchange(chapter.port, bytes);
      expect(body).to.include({ status, ...(bytes.includes('r1') ? { request_id: 'r1' } : {}) });
      while (log.length === 0) await new Promise(setImmediate);
      expect(log).to.have.lengthOf(1);
      expect(log[0]).to.include({ level: 'info', text: 'request' });
      const { milliseconds, ...fields } = log[0]?.fields ?? {};
      expect(milliseconds === null).to.equal(what.route === null);
      expect(fields).to.deep.equal({ requestId: body.request_id, callerId: null, ...what, status });
      expect(counted).to.have.lengthOf(1);
      expect(counted[0]).to.include({ ...what, status });
      expect(counted[0]?.seconds === null).to.equal(what.route === null);
    });
  }

  it('is neither logged nor counted where nothing at all was sent', async () => {
    const { body } = await exchange(chapter.port, '');
    expect(body).to.include({ status: 408 });
    await exchange(chapter.port, 'later\r\n\r\n');
    expect(chapter.log.map(({ fields }) => fields['status'])).to.deep.equal([400]);
    expect(chapter.counted.map(({ status }) => status)).to.deep.equal([400]);
  });
});
