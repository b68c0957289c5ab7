import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { unavailable } from '@chapter/domain/api';
import { moveUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import {
  type Batches,
  beginExport,
  beginOldExport,
  CSV,
  exportsIn,
  isClosed,
  manyUsers,
  serveBatches,
  serveExports,
} from '../support/csv-exports.ts';

describe('A list as CSV over HTTP that does not end well', () => {
  let chapter: ServedChapter;
  let batches: Batches;
  const serve = async (...how: Parameters<typeof serveBatches>): Promise<void> => {
    ({ chapter, batches } = await serveBatches(...how));
  };
  afterEach(() => chapter.close());

  /** Returns an HTTP/1.0 client that has received the first batch, of an export whose second batch waits for its end. */
  const beginUnfinished = async (): Promise<Socket> => {
    await serve(async (served) => {
      if (batches.pulled > 0) await isClosed(batches);
      return manyUsers(served);
    });
    const socket = await beginOldExport(chapter);
    await once(socket, 'data');
    return socket;
  };

  it('is a problem if the first batch cannot be read', async () => {
    await serve(() => Promise.reject(unavailable()));
    const refused = await chapter.get('/api/users/', chapter.leader, CSV);
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'unavailable']);
    expect(refused.headers['retry-after']).to.match(/^\d+$/);
    expect(refused.headers).to.include({ vary: 'Origin, Accept' }).and.not.have.property('content-disposition');
    await isClosed(batches);
  });

  it('is reset after a failure in a later batch, so that it cannot pass as complete', async () => {
    await serve(async (served) => (batches.pulled < 3 ? manyUsers(served) : Promise.reject(unavailable())));
    const response = await beginExport(chapter);
    expect(response.statusCode).to.equal(200);
    expect(await text(response).catch((error) => error)).to.have.property('code', 'ECONNRESET');
    expect(response.complete).to.equal(false);
    await isClosed(batches);
    const warnings = chapter.log.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ text, fields: { requestId, route } }) => [text, requestId, route])).to.deep.equal([
      ['export failed', response.headers['x-request-id'], '/api/users/'],
    ]);
    expect(warnings[0]?.fields['error']).to.include({ type: 'DomainError', code: 'unavailable' });
    const logged = chapter.log.filter(({ text }) => text === 'response could not be written');
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]?.fields['error']).to.include({ type: 'DomainError', code: 'unavailable' });
  });

  it('is reset for an HTTP/1.0 client too, to which a closed connection would look like the end', async () => {
    await serve(async (served) => (batches.pulled < 3 ? manyUsers(served) : Promise.reject(unavailable())));
    const [error] = (await once((await beginOldExport(chapter)).resume(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('is reset when an HTTP/1.0 client closes its sending side', async () => {
    const socket = await beginUnfinished();
    const failed = once(socket, 'error');
    socket.end();
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('is reset for an HTTP/1.0 client when the service stops, and logged', async () => {
    const socket = await beginUnfinished();
    const failed = once(socket, 'error');
    chapter.api.resetExports();
    await chapter.close();
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
    const warnings = chapter.log.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ text, fields: { route } }) => [text, route])).to.deep.equal([
      ['export cut off, because the service stops', '/api/users/'],
    ]);
  });

  it('is refused with 503 while the service stops; finished ones are not reset then', async () => {
    chapter = await makeServedChapter();
    expect((await chapter.get('/api/users/', chapter.leader, CSV)).status).to.equal(200);
    chapter.api.resetExports();
    expect(chapter.log.filter(({ level }) => level === 'warn')).to.deep.equal([]);
    chapter.api.refuseExports();
    const refused = await chapter.get('/api/users/', chapter.leader, CSV);
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '30']);
    expect((await chapter.get('/api/users/', chapter.leader)).status).to.equal(200);
  });

  it('is not found if the caller moves to another division before the export opens', async () => {
    chapter = await serveExports((users) => async (...request) => {
      await moveUser(chapter.world, chapter.leader.id, chapter.south.id);
      return users(...request);
    });
    expect((await chapter.get('/api/users/', chapter.leader, CSV)).body.code).to.equal('not_found');
  });
});

describe('A third list as CSV over HTTP', () => {
  it('is refused with 503 while two others are unread, until one of them ends', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await using chapter = await serveExports((users) => async (...request) => {
      const opened = await users(...request);
      async function* read() {
        for await (const items of opened.batches) {
          yield items;
          await ended;
        }
      }
      const close = async () => {
        await opened.close();
        resolve();
      };
      return { batches: read(), close };
    });
    const unread = [await beginExport(chapter), await beginExport(chapter)] as const;
    for (const response of unread) response.on('error', () => {});
    const { status, headers, body } = await chapter.get('/api/users/', chapter.leader, CSV);
    expect([status, headers['retry-after'], body.code]).to.deep.equal([503, '30', 'unavailable']);
    expect((await chapter.send('HEAD', '/api/users/', { as: chapter.leader, headers: CSV })).status).to.equal(200);
    expect(await exportsIn(chapter)).to.have.lengthOf(2);
    unread[0].destroy();
    await ended;
    expect((await chapter.get('/api/users/', chapter.leader, CSV)).status).to.equal(200);
    expect(await exportsIn(chapter)).to.have.lengthOf(3);
  });
});
