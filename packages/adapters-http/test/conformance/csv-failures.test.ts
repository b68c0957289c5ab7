import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type ListExports, type ListedUser, unavailable } from '@chapter/domain';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

const CSV = { accept: 'text/csv' };

/** What the exports of these tests do: each batch is `next()`. */
interface Batches {
  opening: () => Promise<void>;
  next: () => Promise<readonly ListedUser[]>;
  pulled: number;
  closed: number;
}

describe('A list as CSV over HTTP that does not end well', () => {
  let chapter: ServedChapter;
  let batches: Batches;
  const serve = async (next: (chapter: ServedChapter) => Promise<readonly ListedUser[]>, idleMs = 600_000) => {
    batches = { opening: async () => {}, next: () => next(chapter), pulled: 0, closed: 0 };
    async function* read() {
      for (; batches.closed === 0; batches.pulled++) yield await batches.next();
      throw unavailable();
    }
    const close = async () => {
      batches.closed += 1;
    };
    const users: ListExports['users'] = async () => {
      await batches.opening();
      return { batches: read(), close };
    };
    chapter = await makeServedChapter({}, ({ listExports }) => ({ listExports: { ...listExports, users } }), {
      times: { idleMs },
    });
  };
  afterEach(() => chapter.close());

  const manyUsers = async ({ leader }: ServedChapter): Promise<readonly ListedUser[]> => Array(200).fill(leader);
  const isClosed = async (): Promise<void> => {
    while (batches.closed === 0) await turn();
  };
  const begin = async (): Promise<IncomingMessage> => {
    const headers = { ...CSV, authorization: `Bearer ${await chapter.tokenOf(chapter.leader)}` };
    const sent = get({ port: chapter.port, host: '127.0.0.1', path: '/api/users/', headers });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    // The response reports the error too.
    sent.on('error', () => {});
    return response;
  };

  /** Sends a request of HTTP/1.0. */
  const beginOld = async (): Promise<Socket> => {
    const token = await chapter.tokenOf(chapter.leader);
    const socket = connect(chapter.port, '127.0.0.1');
    socket.write(`GET /api/users/ HTTP/1.0\r\nHost: a\r\nAccept: text/csv\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  };

  it('is a problem if the first batch cannot be read', async () => {
    await serve(() => Promise.reject(unavailable()));
    const refused = await chapter.get('/api/users/', chapter.leader, CSV);
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'unavailable']);
    expect(refused.headers['retry-after']).to.match(/^\d+$/);
    expect(refused.headers).to.include({ vary: 'Origin' }).and.not.have.property('content-disposition');
    await isClosed();
  });

  it('is reset after a failure in a later batch, so that it cannot pass as complete', async () => {
    await serve(async (served) => (batches.pulled < 3 ? manyUsers(served) : Promise.reject(unavailable())));
    const response = await begin();
    expect(response.statusCode).to.equal(200);
    let failure: unknown;
    try {
      for await (const _ of response) await turn();
    } catch (error) {
      failure = error;
    }
    expect(failure).to.have.property('code', 'ECONNRESET');
    expect(response.complete).to.equal(false);
    await isClosed();
    const logged = chapter.log.filter(({ text }) => text === 'response could not be written');
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]?.fields['error']).to.include({ type: 'DomainError', code: 'unavailable' });
  });

  it('is reset for an HTTP/1.0 client too, to which a closed connection would look like the end', async () => {
    await serve(async (served) => (batches.pulled < 3 ? manyUsers(served) : Promise.reject(unavailable())));
    const [error] = (await once((await beginOld()).resume(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('ends the export when the client disconnects, also while a batch is read', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await serve(async (served) => {
      if (batches.pulled < 2) return manyUsers(served);
      resolve();
      await isClosed();
      throw unavailable();
    });
    const response = await begin();
    response.on('error', () => {}).resume();
    await asked;
    response.destroy();
    await isClosed();
  });

  for (const when of ['while the export is opened', 'before the first batch']) {
    it(`ends the export when the client disconnects ${when}`, async () => {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      await serve(async () => {
        if (when === 'before the first batch') resolve();
        await isClosed();
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
      const headers = { ...CSV, authorization: `Bearer ${await chapter.tokenOf(chapter.leader)}` };
      const sent = get({ port: chapter.port, host: '127.0.0.1', path: '/api/users/', headers }).on('error', () => {});
      await asked;
      sent.destroy();
      await isClosed();
    });
  }

  it('is read no faster than the client reads it, and ends when the client stops reading', async () => {
    await serve(manyUsers, 300);
    const response = await begin();
    response.on('error', () => {});
    await isClosed();
    // The buffers of both sockets are full after some of the batches.
    expect(batches.pulled).to.be.below(2000);
    while ((await chapter.connections()) > 0) await turn();
  });

  it('is reset when an HTTP/1.0 client stops reading', async () => {
    await serve(manyUsers, 300);
    const socket = await beginOld();
    socket.pause();
    await isClosed();
    socket.resume();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('ends the export after the last byte', async () => {
    chapter = await makeServedChapter();
    for (let time = 0; time < 5; time++) {
      expect((await chapter.get('/api/users/', chapter.leader, CSV)).status).to.equal(200);
    }
  });
});
