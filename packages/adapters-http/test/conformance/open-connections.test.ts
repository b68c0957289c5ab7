import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { HttpServerOptions } from '../../src/server/http-server.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

/** Limits that no test reaches. Each test shortens the limit that it tests. */
const LONG = { headersMs: 600_000, requestMs: 600_000, idleMs: 600_000, keepAliveMs: 600_000, checkIntervalMs: 10 };
const SHORT_HEADERS = { headersMs: 200 };
const SHORT_REQUEST = { headersMs: 200, requestMs: 200 };
const GET = 'GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\n';
const LOGIN = 'POST /api/auth/login/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

describe('A client that never closes its connection', () => {
  let chapter: ServedChapter;
  const sockets: Socket[] = [];
  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect({ port: chapter.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    while ((await chapter.connections()) === 0) await setImmediate();
    socket.write(bytes);
    return socket;
  };
  const noConnections = async (): Promise<void> => {
    while ((await chapter.connections()) > 0) await setImmediate();
  };
  const serveWith = async (times: HttpServerOptions['times'], lingerMs = 50): Promise<void> => {
    chapter = await makeServedChapter({}, undefined, { times: { ...LONG, ...times }, lingerMs });
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await chapter.close();
  });

  const requests: [string, string, number, HttpServerOptions['times']?][] = [
    ['does not send HTTP', 'secret\r\n\r\n', 400],
    ['sends endless headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(300_000)}`, 431],
    ['sends a body that is too large', `${LOGIN}Content-Length: 50000001\r\n\r\n{`, 413, SHORT_REQUEST],
    ['sends CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['sends CONNECT with a body', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n', 400],
    ['sends nothing', '', 408, SHORT_HEADERS],
    ['stops in its headers', 'GET / HTTP/1.1\r\nHost: a\r\nX:', 408, SHORT_HEADERS],
    ['stops in its body', `${LOGIN}Content-Length: 9\r\n\r\n{`, 408, SHORT_REQUEST],
    ['sends a chunk without a length', `${LOGIN}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['sends Connection: close', `${GET}Connection: close\r\n\r\n`, 200],
    ['sends no further request', `${GET}\r\n`, 200, { keepAliveMs: 200 }],
  ];
  for (const [description, bytes, status, times] of requests) {
    it(`is disconnected after a ${status} if it ${description}`, async () => {
      await serveWith(times);
      const responses = (await text(await open(bytes))).match(/HTTP\/1.1 \d+/g);
      expect(responses).to.deep.equal([`HTTP/1.1 ${status}`]);
      await noConnections();
    });
  }

  const trickles: [string, string, string, HttpServerOptions['times']][] = [
    ['headers', 'GET / HTTP/1.1\r\n', 'X: y\r\n', SHORT_HEADERS],
    ['a body', `${LOGIN}Content-Length: 9999\r\n\r\n`, ' ', SHORT_REQUEST],
  ];
  for (const [part, start, more, times] of trickles) {
    it(`is disconnected after a 408 if it sends ${part} byte by byte`, async () => {
      await serveWith(times);
      const socket = await open(start);
      const trickle = setInterval(() => socket.write(more), 5);
      try {
        const [response] = await once(socket, 'data');
        expect(String(response)).to.match(/^HTTP\/1.1 408 /);
        await noConnections();
      } finally {
        clearInterval(trickle);
      }
    });
  }

  it('is disconnected if it reads none of its responses', async () => {
    await serveWith({ idleMs: 300 });
    await open(`GET /api/openapi/ HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(20_000));
    await noConnections();
    // The socket buffers are full after some of the responses, and the server stops serving.
    expect(chapter.counted.length).to.be.within(1, 19_999);
  });

  it('gets the 413 of a body in chunks if it reads only after it has sent everything', async () => {
    await serveWith({ keepAliveMs: 10 });
    const socket = await open(`${LOGIN}Transfer-Encoding: chunked\r\n\r\n989680\r\n`);
    await new Promise((sent) => socket.write(`${'x'.repeat(10_000_000)}\r\n0\r\n\r\n`, sent));
    expect(await text(socket)).to.match(/^HTTP\/1.1 413 /);
  });

  for (const [description, bytes, status] of requests.slice(0, 4)) {
    it(`gets the whole problem if it ${description} and reads only after it has filled all buffers`, async () => {
      await serveWith({ keepAliveMs: 10 }, 600_000);
      const socket = await open(bytes);
      await new Promise((sent) => socket.write('x'.repeat(50_000_000), sent));
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      await once(socket, 'end');
      const [, body = ''] = received.split('\r\n\r\n');
      expect(JSON.parse(body)).to.include({ status }).and.to.have.property('code');
      expect(chapter.log).to.have.lengthOf(1);
    });
  }
});
