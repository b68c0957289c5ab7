import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import { exchange } from '../support/exchange.ts';

const TIMES = 50;

describe('A client that asks and resets its connection', () => {
  let chapter: ServedChapter;
  before(async () => {
    chapter = await makeServedChapter({}, undefined, {
      times: { headersMs: 200, requestMs: 200, checkIntervalMs: 10 },
    });
  });
  after(() => chapter?.close());

  const asked: [string, string][] = [
    ['wants a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
    ['wants a tunnel, and sends on', `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${'x'.repeat(10_000)}`],
    [
      'would rather speak another protocol',
      'GET /api/info/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['expects what nobody knows', 'GET /api/info/ HTTP/1.1\r\nHost: x\r\nExpect: gold\r\n\r\n'],
    [
      'wants to be told to go on',
      'POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
    ],
    ['speaks no HTTP', '\u0016\u0003\u0001\u0002\r\n\r\n'],
  ];
  for (const [words, bytes] of asked) {
    it(`leaves the service to others where it ${words}`, async () => {
      const send = async (n: number): Promise<void> => {
        const connection = connect(chapter.port, '127.0.0.1').on('error', () => {});
        await once(connection, 'connect');
        await new Promise<unknown>((sent) => connection.write(bytes, sent));
        // Some are gone before they are read, some while they are answered.
        if (n % 2 === 0) await new Promise(setImmediate);
        connection.resetAndDestroy();
        await once(connection, 'close');
      };
      for (let n = 0; n < TIMES; n++) await send(n);
      expect(
        await exchange(chapter.port, 'GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      ).to.include({
        status: 200,
      });
    });
  }

  it('is let go of once it has its answer, where it wanted a tunnel and keeps its own end open', async () => {
    const connection = connect({ port: chapter.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    connection.write('CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n');
    const [answer] = await once(connection, 'data');
    expect(String(answer)).to.match(/^HTTP\/1.1 400 /);
    await chapter.close();
    connection.destroy();
  });
});
