import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { exchange } from '../support/exchange.ts';

/** A request for a path that does not exist. Its response contains the request id. */
const unknownPath = (id: string): string => `GET /x HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`;
const login = (id: string): string =>
  `POST /api/auth/login/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Request-Id: ${id}\r\n`;
const LAST = 'GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: last\r\n\r\n';

describe('Pipelined requests', () => {
  const chapter = useServedChapter();
  beforeEach(() => void chapter.counted.splice(0));

  /** Sends bytes, and returns what the service sends until it closes the connection. */
  const send = async (...parts: readonly string[]): Promise<string> => {
    const socket = connect(chapter.port, '127.0.0.1');
    for (const part of parts) socket.write(part);
    return text(socket);
  };
  const idsIn = (sent: string): string[] => Array.from(sent.matchAll(/^X-Request-Id: (\S+)/gm), ([, id]) => String(id));
  const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

  it('do not delay the requests of other connections until all are served', async () => {
    const flood = connect(chapter.port, '127.0.0.1');
    flood.write(unknownPath('flood').repeat(5000));
    await once(flood, 'data');
    const { head } = await exchange(chapter.port, unknownPath('other'));
    expect(idsIn(head)).to.deep.equal(['other']);
    expect(chapter.counted.length).to.be.below(100);
    flood.destroy();
  });

  it('are read only as fast as they are served', async () => {
    let parsed = 0;
    let mostWaiting = 0;
    const count = (): void => {
      parsed += 1;
      mostWaiting = Math.max(mostWaiting, parsed - chapter.counted.length);
    };
    subscribe('http.server.request.start', count);
    try {
      await send('GET /x HTTP/1.1\r\nHost:\r\n\r\n'.repeat(1000), LAST);
    } finally {
      unsubscribe('http.server.request.start', count);
    }
    expect(chapter.counted).to.have.lengthOf(1001);
    // Fewer than 16 waited when the last part was read, with up to 83 of these requests. One is being served.
    expect(mostWaiting).to.be.within(2, 15 + 83 + 1);
  });

  it('get their responses in order, however the bytes are divided', async () => {
    const body = JSON.stringify({ username: 'leader', password: 'x'.repeat(20_000) });
    const requests = numbers(10).map((id) =>
      [
        unknownPath(`${id}-get`),
        `${login(`${id}-post`)}Content-Length: ${body.length}\r\n\r\n${body}`,
        unknownPath(`${id}-head`).replace('GET', 'HEAD'),
        `${login(`${id}-chunks`)}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`,
        `${login(`${id}-large`)}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
        `${login(`${id}-chunk`)}Transfer-Encoding: chunked\r\n\r\n11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`,
        numbers(40)
          .map((at) => unknownPath(`${id}-${at}`))
          .join(''),
      ].join(''),
    );
    const bytes = requests.join('') + LAST;
    for (const size of [bytes.length, 1000]) {
      const parts = bytes.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(idsIn(await send(...parts))).to.deep.equal(idsIn(bytes));
    }
  });

  it('are served one after the other', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { actors } = chapter.world;
    const find = actors.find.bind(actors);
    const started: unknown[] = [];
    actors.find = async (...call) => {
      started.push(call);
      await released;
      return find(...call);
    };
    const socket = connect(chapter.port, '127.0.0.1');
    const token = await chapter.tokenOf(chapter.leader);
    socket.write(`GET /api/info/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(2));
    try {
      while (started.length === 0) await turn();
      // The next one would start now if it did not wait.
      for (let turns = 0; turns < 10; turns++) await turn();
      expect(started).to.have.lengthOf(1);
      release();
      while (started.length === 1) await turn();
    } finally {
      release();
      actors.find = find;
      socket.destroy();
    }
  });

  it('are all served before the connection is closed because of what follows them', async () => {
    const ok = unknownPath('1') + unknownPath('2');
    expect(await send(`${ok}x`)).to.match(/Id: 1\r[^]*Id: 2\r\n(?:[^\r]+\r\n)*Connection: close\r/);
    const badChunk = `${login('3')}Transfer-Encoding: chunked\r\n\r\nx`;
    expect(await send(ok + badChunk)).to.match(/Id: 1\r[^]*Id: 2\r[^]*1.1 400 [^]*Id: 3\r[^]*is not valid HTTP/);
  });

  it('are not served after a response that closes the connection', async () => {
    const token = await chapter.tokenOf(chapter.leader);
    const removal = `DELETE /api/users/${chapter.guest.id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    expect(idsIn(await send(LAST + removal))).to.deep.equal(['last']);
    expect((await chapter.get(`/api/users/${chapter.guest.id}/`, chapter.leader)).status).to.equal(200);
  });
});
