import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { type ListExports, type ListedUser, unavailable } from '@chapter/domain';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

const CSV = { accept: 'text/csv' };

/** What the exports of these tests do: each batch is `next()`. */
interface Batches {
  opening: () => Promise<void>;
  next: () => Promise<readonly ListedUser[]>;
  /** How many there are. */
  count: number;
  pulled: number;
  closed: number;
}

describe('A list as CSV over HTTP that does not end well', () => {
  let chapter: ServedChapter;
  let batches: Batches;
  const serve = async (next: (chapter: ServedChapter) => Promise<readonly ListedUser[]>, idleMs = 600_000) => {
    batches = {
      opening: async () => {},
      next: () => next(chapter),
      count: Number.POSITIVE_INFINITY,
      pulled: 0,
      closed: 0,
    };
    async function* read() {
      for (; batches.closed === 0 && batches.pulled < batches.count; batches.pulled++) yield await batches.next();
      if (batches.closed > 0) throw unavailable();
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
    expect(refused.headers).to.include({ vary: 'Origin, Accept' }).and.not.have.property('content-disposition');
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
    while ((await chapter.connections()) > 0) await turn();
    await turn();
    expect(chapter.log.filter(({ level }) => level !== 'info')).to.deep.equal([]);
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

  it('continues when a batch takes longer than a client may be idle', async () => {
    const idleMs = 100;
    await serve(async (served) => {
      await sleep(4 * idleMs);
      return [served.leader];
    }, idleMs);
    batches.opening = () => sleep(4 * idleMs);
    batches.count = 3;
    const response = await begin();
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
    const socket = await beginOld();
    socket.pause();
    await isClosed();
    expect(batches.pulled).to.be.above(1);
    const [error] = (await once(socket.resume(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('is reset when an HTTP/1.0 client closes its sending side', async () => {
    await serve(async (served) => {
      if (batches.pulled > 0) await isClosed();
      return manyUsers(served);
    });
    const socket = await beginOld();
    await once(socket, 'data');
    const failed = once(socket, 'error');
    socket.end();
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });

  it('is reset for an HTTP/1.0 client when the service stops, and logged', async () => {
    await serve(async (served) => {
      if (batches.pulled > 0) await isClosed();
      return manyUsers(served);
    });
    const socket = await beginOld();
    await once(socket, 'data');
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
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'unavailable']);
    expect((await chapter.get('/api/users/', chapter.leader)).status).to.equal(200);
  });

  it('is not opened when the client disconnects before', async () => {
    chapter = await makeServedChapter();
    const headers = { ...CSV, authorization: `Bearer ${await chapter.tokenOf(chapter.leader)}` };
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
    const entries = await chapter.world.audit.list({ limit: 100 });
    expect(entries.filter(({ action }) => action === 'exportUsers')).to.deep.equal([]);
  });

  it('ends the exports of pipelined requests when the client disconnects', async () => {
    await serve(async () => {
      while (batches.closed < 2) await turn();
      throw unavailable();
    });
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    let openings = 0;
    batches.opening = async () => {
      openings += 1;
      if (openings === 2) resolve();
    };
    const token = await chapter.tokenOf(chapter.leader);
    const request = `GET /api/users/ HTTP/1.1\r\nHost: a\r\nAccept: text/csv\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const socket = connect(chapter.port, '127.0.0.1');
    socket.write(request + request);
    await opened;
    socket.destroy();
    while (batches.closed < 2) await turn();
  });

  it('resets no connection whose client closes its sending side after the last byte', async () => {
    chapter = await makeServedChapter();
    const token = await chapter.tokenOf(chapter.leader);
    const socket = connect(chapter.port, '127.0.0.1').setEncoding('utf8');
    socket.write(`GET /api/users/ HTTP/1.1\r\nHost: a\r\nAccept: text/csv\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.endsWith('\r\n0\r\n\r\n')) socket.end();
    }
    expect(text).to.match(/^HTTP\/1\.1 200 /);
  });

  it('ends the export after the last byte', async () => {
    chapter = await makeServedChapter();
    for (let time = 0; time < 5; time++) {
      expect((await chapter.get('/api/users/', chapter.leader, CSV)).status).to.equal(200);
    }
  });
});
