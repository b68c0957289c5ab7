import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';
import { exchange } from '../support/exchange.ts';

const LOGIN = 'POST /api/auth/login/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

describe('Input that cannot be parsed as a request', () => {
  const chapter = useServedChapter({
    serve: () => makeServedChapter({}, undefined, { times: { headersMs: 50, requestMs: 50, checkIntervalMs: 10 } }),
  });
  beforeEach(() => {
    chapter.log.length = 0;
    chapter.counted.length = 0;
  });

  /** Sends bytes that are logged once. Returns the response and the fields of the log line. */
  const logged = async (bytes: string) => {
    const { log } = chapter;
    const { body } = await exchange(chapter.port, bytes);
    while (log.length === 0) await new Promise(setImmediate);
    expect(log).to.have.lengthOf(1);
    expect(log[0]).to.include({ level: 'info', text: 'request' });
    return { body, fields: log[0]?.fields ?? {} };
  };

  const inputs: [string, string, number, string][] = [
    ['is not HTTP', 'secret\r\n\r\n', 400, 'bad_request'],
    ['has endless headers', `GET / HTTP/1.1\r\nsecret: ${'x'.repeat(300_000)}`, 431, 'headers_too_large'],
    ['is CONNECT', 'CONNECT secret:443 HTTP/1.1\r\nHost: secret\r\n\r\n', 400, 'bad_request'],
    ['stops in its headers', 'GET /?secret HTTP/1.1\r\nHost: a\r\nX-Secret: s', 408, 'request_timeout'],
  ];
  for (const [description, bytes, status, code] of inputs) {
    it(`is logged and counted as ${status} without its content if it ${description}`, async () => {
      const { body, fields } = await logged(bytes);
      expect(body).to.include({ status });
      const nothing = { callerId: null, method: null, route: null, milliseconds: null };
      expect(fields).to.deep.equal({ requestId: body.request_id, ...nothing, status, code });
      expect(chapter.counted).to.deep.equal([{ status }]);
    });
  }

  it('gets a problem that mentions the method if the method is unknown', async () => {
    for (const bytes of [
      'FOO / HTTP/1.1\r\nHost: a\r\n\r\n',
      'get / HTTP/1.1\r\nHost: a\r\n\r\n',
      '\x16\x03\x01\r\n\r\n',
    ]) {
      const { body } = await exchange(chapter.port, bytes);
      expect(body).to.include({ status: 400, detail: 'the request is not valid HTTP, or its method is unknown' });
    }
    const { body } = await exchange(chapter.port, 'GET / HTP/1.1\r\nHost: a\r\n\r\n');
    expect(body).to.include({ status: 400, detail: 'the request is not valid HTTP' });
  });

  it('is logged and counted like other requests if only its body is incomplete', async () => {
    const { body, fields } = await logged(`${LOGIN}X-Request-Id: r1\r\nContent-Length: 99\r\n\r\n{"username":"secret`);
    const what = { method: 'POST', route: '/api/auth/login/', status: 408 };
    expect(body).to.include({ status: 408, request_id: 'r1' });
    expect(fields).to.include({ requestId: 'r1', callerId: null, ...what });
    expect(fields['milliseconds']).to.be.a('number');
    expect(fields['code']).to.equal('request_timeout');
    expect(Object.keys(fields)).to.have.lengthOf(7);
    expect(chapter.counted).to.have.lengthOf(1);
    expect(chapter.counted[0]).to.include(what);
  });

  it('is neither logged nor counted if the client sent nothing', async () => {
    const { body } = await exchange(chapter.port, '');
    expect(body).to.include({ status: 408 });
    await exchange(chapter.port, 'later\r\n\r\n');
    expect(chapter.log.map(({ fields }) => fields['status'])).to.deep.equal([400]);
    expect(chapter.counted).to.deep.equal([{ status: 400 }]);
  });
});

const TIMES = 50;

describe('A client that sends a request and resets its connection', () => {
  const chapter = useServedChapter({
    serve: () =>
      makeServedChapter({}, undefined, {
        times: { headersMs: 200, requestMs: 200, checkIntervalMs: 10 },
      }),
  });

  const requests: [string, string][] = [
    ['sends CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
    ['sends CONNECT and more data', `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${'x'.repeat(10_000)}`],
    [
      'sends an Upgrade header',
      'GET /api/info/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['sends an unknown Expect header', 'GET /api/info/ HTTP/1.1\r\nHost: x\r\nExpect: gold\r\n\r\n'],
    [
      'expects 100-continue',
      'POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
    ],
    ['does not send HTTP', '\u0016\u0003\u0001\u0002\r\n\r\n'],
  ];
  for (const [description, bytes] of requests) {
    it(`does not disturb the service if it ${description}`, async () => {
      const send = async (n: number): Promise<void> => {
        const connection = connect(chapter.port, '127.0.0.1').on('error', () => {});
        await once(connection, 'connect');
        await new Promise<unknown>((sent) => connection.write(bytes, sent));
        // Some disconnect before the server reads the request, some during the response.
        if (n % 2 === 0) await new Promise(setImmediate);
        connection.resetAndDestroy();
        await once(connection, 'close');
      };
      for (let n = 0; n < TIMES; n++) await send(n);
      const next = 'GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
      expect(await exchange(chapter.port, next)).to.include({ status: 200 });
    });
  }
});
