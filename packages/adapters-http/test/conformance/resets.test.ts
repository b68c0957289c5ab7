import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';
import { exchange } from '../support/exchange.ts';

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
      expect(
        await exchange(chapter.port, 'GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      ).to.include({
        status: 200,
      });
    });
  }

  it('is disconnected after the response to CONNECT, even if it keeps its own side open', async () => {
    const connection = connect({ port: chapter.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    connection.write('CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n');
    const [response] = await once(connection, 'data');
    expect(String(response)).to.match(/^HTTP\/1.1 400 /);
    await chapter.close();
    connection.destroy();
  });
});
