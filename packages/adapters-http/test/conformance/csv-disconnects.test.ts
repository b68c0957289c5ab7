import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { unavailable } from '@chapter/domain/api';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import {
  type Batches,
  beginExport,
  beginOldExport,
  csvHeaders,
  csvRequest,
  exportsIn,
  isClosed,
  manyUsers,
  serveBatches,
} from '../support/csv-exports.ts';

describe('A list as CSV over HTTP whose client is slow or disconnects', () => {
  let chapter: ServedChapter;
  let batches: Batches;
  const serve = async (...how: Parameters<typeof serveBatches>): Promise<void> => {
    ({ chapter, batches } = await serveBatches(...how));
  };
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(async () => {
    mock.timers.reset();
    await chapter.close();
  });
  /** Lets a second pass in each turn of the event loop in which no batch is read, until the export is closed. Returns their number. */
  const passTime = async (): Promise<number> => {
    let [pulled, seconds] = [batches.pulled, 0];
    while (batches.closed === 0) {
      await turn();
      if (pulled === batches.pulled) {
        seconds += 1;
        mock.timers.tick(1000);
      }
      pulled = batches.pulled;
    }
    return seconds;
  };

  it('ends the export when the client disconnects, also while a batch is read', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await serve(async (served) => {
      if (batches.pulled < 2) return manyUsers(served);
      resolve();
      await isClosed(batches);
      throw unavailable();
    });
    const response = await beginExport(chapter);
    response.on('error', () => {}).resume();
    await asked;
    response.destroy();
    await isClosed(batches);
    while ((await chapter.connections()) > 0) await turn();
    await turn();
    expect(chapter.log.filter(({ level }) => level !== 'info')).to.deep.equal([]);
  });

  for (const when of ['while the export is opened', 'before the first batch']) {
    it(`ends the export when the client disconnects ${when}`, async () => {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      await serve(async () => {
        if (when === 'before the first batch') resolve();
        await isClosed(batches);
        throw unavailable();
      });
      if (when === 'while the export is opened') {
        batches.opening = async () => {
          resolve();
          while ((await chapter.connections()) > 0) await turn();
          // A connection is not counted any more a moment before its response closes.
          await turn();
        };
      }
      const headers = await csvHeaders(chapter);
      const sent = get({ port: chapter.port, host: '127.0.0.1', path: '/api/users/', headers }).on('error', () => {});
      await asked;
      sent.destroy();
      await isClosed(batches);
    });
  }

  it('is read no faster than the client reads it, and ends when the client stops reading', async () => {
    await serve(manyUsers);
    const response = await beginExport(chapter);
    response.on('error', () => {});
    expect(await passTime()).to.be.within(30, 120);
    // The buffers of both sockets are full after some of the batches.
    expect(batches.pulled).to.be.below(2000);
    while ((await chapter.connections()) > 0) await turn();
  });

  it('continues when a batch takes longer than a client may be idle', async () => {
    const idleMs = 100;
    await serve(async (served) => {
      await sleep(4 * idleMs);
      mock.timers.tick(100_000);
      return [served.leader];
    }, idleMs);
    batches.opening = () => sleep(4 * idleMs);
    batches.count = 3;
    const response = await beginExport(chapter);
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    await once(response, 'end');
    expect(text.split('\r\n')).to.have.lengthOf(5);
  });

  it('is reset when an HTTP/1.0 client stops reading after a slow batch', async () => {
    const idleMs = 100;
    await serve(async (served) => {
      if (batches.pulled === 1) await sleep(4 * idleMs);
      return manyUsers(served);
    }, idleMs);
    const socket = await beginOldExport(chapter);
    socket.pause();
    await passTime();
    expect(batches.pulled).to.be.above(1);
    const [error] = (await once(socket.resume(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('is not opened when the client disconnects before', async () => {
    chapter = await makeServedChapter();
    const headers = await csvHeaders(chapter);
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const { actors } = chapter.world;
    const find = actors.find.bind(actors);
    actors.find = async (...call) => {
      resolve();
      while ((await chapter.connections()) > 0) await turn();
      // A connection is not counted any more a moment before its response closes.
      await turn();
      return find(...call);
    };
    const sent = get({ port: chapter.port, host: '127.0.0.1', path: '/api/users/', headers }).on('error', () => {});
    await asked;
    sent.destroy();
    while (!chapter.log.some(({ text }) => text === 'request')) await turn();
    expect(await exportsIn(chapter)).to.deep.equal([]);
  });

  it('ends the export of a pipelined request when the client disconnects, and does not open the next one', async () => {
    await serve(async () => {
      await isClosed(batches);
      throw unavailable();
    });
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    let openings = 0;
    batches.opening = async () => {
      openings += 1;
      resolve();
    };
    const request = await csvRequest(chapter, '1.1');
    const socket = connect(chapter.port, '127.0.0.1');
    socket.write(request + request);
    await opened;
    socket.destroy();
    await isClosed(batches);
    while ((await chapter.connections()) > 0) await turn();
    await turn();
    expect(openings).to.equal(1);
  });

  it('resets no connection whose client closes its sending side after the last byte', async () => {
    chapter = await makeServedChapter();
    const request = await csvRequest(chapter, '1.1');
    const socket = connect(chapter.port, '127.0.0.1').setEncoding('utf8');
    socket.write(request);
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.endsWith('\r\n0\r\n\r\n')) socket.end();
    }
    expect(text).to.match(/^HTTP\/1\.1 200 /);
  });
});
