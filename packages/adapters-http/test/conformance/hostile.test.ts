import { connect } from 'node:net';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { exchange as exchangeWith, type Raw } from '../support/exchange.ts';

describe('A connection', () => {
  const chapter = useServedChapter();
  let token: string;
  before(async () => {
    token = await chapter.tokenOf(chapter.leader);
  });

  const exchange = (...parts: readonly (string | Buffer)[]): Promise<Raw> => exchangeWith(chapter.port, ...parts);
  const get = (target: string, ...headers: readonly string[]) =>
    exchange([`GET ${target} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
  /** Sends lines of a login after its first two, and ends after the last line. */
  const login = (...lines: readonly string[]) =>
    exchange(['POST /api/auth/login/ HTTP/1.1', 'Host: a', ...lines].join('\r\n'));
  const chunks = (...headers: readonly string[]) => login(...headers, '', '2', '{}', '0', '', '');
  const withTwoTokens = (text: string, place: string) => {
    const valid = `Authorization: Bearer ${token}`;
    const other = text === 'the same' ? valid : text;
    return get('/api/info/', 'Host: a', ...(place === 'first' ? [other, valid] : [valid, other]));
  };

  type Attempts = Readonly<Record<string, () => Promise<Raw>>>;
  const bad: readonly (readonly [status: number, code: string, attempts: Attempts])[] = [
    [
      400,
      'bad_request',
      {
        'with two Host headers': () => get('/api/info/', 'Host: a', 'host: b'),
        'without a Host header': () => get('/api/info/'),
        ...Object.fromEntries(
          ['Authorization: Bearer x', 'AUTHORIZATION: Basic YTpi', 'Authorization:', 'the same'].flatMap((text) =>
            ['first', 'last'].map((place) => [
              `with two Authorization headers, \`${text}\` ${place},`,
              () => withTwoTokens(text, place),
            ]),
          ),
        ),
        'for another host': () => get('http://b/api/info/', 'Host: a', `Authorization: Bearer ${token}`),
        'for its own absolute URL': () => get('http://a/api/auth/keys/', 'Host: a'),
        'for a target without a slash': () => get('api/info/', 'Host: a'),
        'for a fragment': () => get('/api/auth/keys/#x', 'Host: a'),
        'with CONNECT': () => exchange('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'),
        'for `*`': () => get('*', 'Host: a'),
        'with a space in a header name': () => get('/', 'Host: a', 'X Y: z'),
        'with a NUL in a header': () => get('/', 'Host: a', 'X: \u0000'),
        'that is not HTTP': () => exchange('\u0016\u0003\u0001\u0002\r\n\r\n'),
        'that is HTTP/2': () => exchange('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        'with both Content-Length and chunks': () =>
          login('Content-Length: 2', 'Transfer-Encoding: chunked', '', '0', '', ''),
        ...Object.fromEntries(
          ['gzip, chunked', 'identity'].flatMap((coding) => [
            [
              `with Content-Length and Transfer-Encoding: ${coding}`,
              () => chunks('Content-Length: 2', `Transfer-Encoding: ${coding}`),
            ],
            [
              `with Transfer-Encoding: ${coding} and Content-Length`,
              () => chunks(`Transfer-Encoding: ${coding}`, 'Content-Length: 2'),
            ],
          ]),
        ),
        'with two Content-Length headers': () => login('Content-Length: 2', 'Content-Length: 3', '', '{}'),
        'with a negative Content-Length': () => login('Content-Length: -1', '', ''),
        'with a malformed chunk in its body': () =>
          login('Content-Type: application/json', 'Transfer-Encoding: chunked', '', 'zz', '{}', ''),
      },
    ],
    [
      501,
      'not_implemented',
      {
        ...Object.fromEntries(
          ['gzip, chunked', 'identity', 'xchunked', 'chunked, chunked', 'chunked;q=1', ',chunked', ''].map((coding) => [
            `with Transfer-Encoding: ${coding}`,
            () => chunks(`Transfer-Encoding: ${coding}`),
          ]),
        ),
        'with two Transfer-Encoding headers': () => chunks('Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'),
      },
    ],
    [
      431,
      'headers_too_large',
      {
        'with a head of more than 32 KiB': () => get('/api/auth/keys/', 'Host: a', `X: ${'x'.repeat(33 * 1024)}`),
        'with 1,001 headers': () => get('/', 'Host: a', ...Array<string>(1000).fill('X:')),
        'with endless headers': () => get('/', 'Host: a', `X: ${'x'.repeat(300_000)}`),
      },
    ],
  ];
  const attempts = bad.flatMap(([status, code, each]) =>
    Object.entries(each).map(([description, attempt]) => ({ description, attempt, status, code })),
  );
  for (const { description, attempt, status, code } of attempts) {
    it(`${description} gets a ${status} problem and is closed`, async () => {
      const { log, counted } = chapter;
      const [logged, sofar] = [log.length, counted.length];
      const { head, body, ...response } = await attempt();
      expect(response.status).to.equal(status);
      expect(body).to.include({ code, status });
      expect(head).to.match(/^content-type: application\/problem\+json/im);
      expect(head).to.match(/^connection: close/im);
      expect(head).to.match(new RegExp(`^x-request-id: ${body.request_id}`, 'im'));
      expect(head).to.match(/^cache-control: no-store/im);
      // The response to an incomplete body may arrive before the reader of the body fails.
      while (log.length === logged) await new Promise(setImmediate);
      expect(log.slice(logged).map(({ fields }) => [fields['requestId'], fields['status']])).to.deep.equal([
        [body.request_id, status],
      ]);
      expect(counted.slice(sofar).map((one) => one.status)).to.deep.equal([status]);
    });
  }

  it('may have a head of 32 KiB', async () => {
    const [start, end] = ['GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\nX: ', '\r\n\r\n'];
    const head = `${start}${'x'.repeat(32 * 1024 - start.length - end.length)}${end}`;
    expect(head).to.have.lengthOf(32_768);
    expect(await exchange(head)).to.include({ status: 200 });
  });

  it('may have 1,000 headers, and learns both limits of a head beyond them', async () => {
    const headers = Array<string>(1000).fill('X:').with(0, 'Host: a');
    expect(await get('/api/auth/keys/', ...headers)).to.include({ status: 200 });
    const { body } = await get('/api/auth/keys/', ...headers, 'X:');
    expect(body.detail).to.equal('request line and headers may have at most 32768 bytes, and 1000 headers');
  });

  it('must not fold its Authorization header', async () => {
    const folded = await get('/api/info/', 'Host: a', 'Connection: close', 'Authorization: Bearer', ` ${token}`);
    expect(folded.status).to.be.oneOf([400, 401]);
  });

  it('may name the transfer coding `chunked` in upper case', async () => {
    expect(await chunks('Transfer-Encoding: CHUNKED')).to.include({ status: 415 });
  });

  it('may use HTTP/1.0 without a Host header', async () => {
    expect(await exchange('GET /api/auth/keys/ HTTP/1.0\r\n\r\n')).to.include({ status: 200 });
  });

  it('is served with an unknown Expect or Upgrade header', async () => {
    expect(await get('/api/auth/keys/', 'Host: a', 'Expect: miracles')).to.include({ status: 200 });
    expect(await get('/api/auth/keys/', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket')).to.include({
      status: 200,
    });
    expect(await get('/api/auth/keys/', 'Host: a', 'Connection: Upgrade', 'Upgrade: h2c')).to.include({ status: 200 });
  });

  it('may send OPTIONS for `*`', async () => {
    const { status, head } = await exchange('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(status).to.equal(204);
    expect(head).to.match(/^allow: POST, DELETE, GET, HEAD, PATCH/im);
  });

  it('must not have raw bytes in its target', async () => {
    const line = (target: string) => exchange(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`));
    expect(await line('/api/üsers/')).to.include({ status: 400 });
    expect(await line('/api/users/?email=ü')).to.include({ status: 400 });
  });

  it('that ends in the middle of a body changes nothing', async () => {
    const { port, user, world } = chapter;
    const head = `PATCH /api/users/${user.id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n`;
    await new Promise<void>((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.end(`${head}{"last_name":"X"}`);
      });
      socket.resume();
      socket.on('close', () => done());
      socket.on('error', () => {});
    });
    expect((await world.users.find(user.id))?.lastName).to.equal('');
    expect(await chapter.get('/api/info/', user)).to.include({ status: 200 });
  });
});
