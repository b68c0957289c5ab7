import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makeHttpServer } from '@chapter/adapters-http';
import { expect } from 'chai';
import { makeDropListener } from '../../src/server/http-server.ts';
import { makeServedChapter } from '../support/chapter.ts';

describe('The server of the API', () => {
  it('allows 10 s for headers, 30 s for a request, 35 s without progress and 65 s between requests', () => {
    const server = makeHttpServer(() => {}, { log: console });
    expect(server).to.include({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      timeout: 35_000,
      keepAliveTimeout: 65_000,
    });
  });

  it('waits longer for progress than until the 408 of a body that stops', () => {
    const { requestTimeout, timeout } = makeHttpServer(() => {}, { log: console });
    // Node looks for such requests once a second.
    expect(timeout).to.be.greaterThan(requestTimeout + 1000);
  });
});

describe('A server at its connection limit', () => {
  const open = (port: number): Socket => connect(port, '127.0.0.1').on('error', () => {});

  it('closes and counts further connections, and serves again after one has ended', async () => {
    await using chapter = await makeServedChapter({}, undefined, { maxConnections: 2 });
    const [first, second] = [open(chapter.port), open(chapter.port)];
    while ((await chapter.connections()) < 2) await setImmediate();
    for (const further of [open(chapter.port), open(chapter.port)]) await once(further, 'close');
    expect(await chapter.connections()).to.equal(2);
    expect(chapter.dropped()).to.equal(2);
    expect(chapter.log).to.have.lengthOf(1);
    expect(chapter.log[0]).to.deep.include({ level: 'warn', fields: { maxConnections: 2, dropped: 1 } });
    first.destroy();
    while ((await chapter.connections()) > 1) await setImmediate();
    expect(await chapter.get('/api/auth/keys/')).to.include({ status: 200 });
    second.destroy();
  });

  it('logs the first dropped connection at once, then once a minute how many followed', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const logged: unknown[] = [];
      const log = { warn: ({ dropped }: { dropped: number }) => void logged.push(dropped) } as never;
      const onDrop = makeDropListener({ log }, 2);
      for (let time = 0; time < 10_000; time++) onDrop();
      expect(logged).to.deep.equal([1]);
      mock.timers.tick(60_000);
      expect(logged).to.deep.equal([1, 9999]);
      onDrop();
      mock.timers.tick(60_000);
      expect(logged).to.deep.equal([1, 9999, 1]);
      mock.timers.tick(60_000);
      onDrop();
      expect(logged).to.deep.equal([1, 9999, 1, 1]);
    } finally {
      mock.timers.reset();
    }
  });
});
