import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type ListExports, type ListedUser, type User, unavailable } from '@chapter/domain';
import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const CSV = { accept: 'text/csv' };
const EXPORT = /^export/;

const recordsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','));

const exportsIn = async ({ world }: ServedChapter) =>
  (await world.audit.list({ limit: 100 })).filter(({ action }) => EXPORT.test(action));

describe('A list as CSV over HTTP', () => {
  let chapter: ServedChapter;
  beforeEach(async () => {
    chapter = await makeServedChapter();
  });
  afterEach(() => chapter.close());

  const lists = (): Readonly<Record<string, [path: string, as: User, fileName: string]>> => ({
    'GET /api/users/': ['/api/users/', chapter.leader, 'users.csv'],
    'GET /api/divisions/': ['/api/divisions/', chapter.admin, 'divisions.csv'],
    'GET /api/division/{id}/users/': [`/api/division/${chapter.north.id}/users/`, chapter.guest, 'division-users.csv'],
  });
  for (const name of ['GET /api/users/', 'GET /api/divisions/', 'GET /api/division/{id}/users/']) {
    it(`has the items of the JSON list in the same order (${name})`, async () => {
      const [path, as, fileName] = lists()[name] ?? expect.fail();
      for (const query of ['', '?ordering=-id', '?search=o', '?search=none-has-this']) {
        const { body } = await chapter.get(path + query, as);
        const { status, text, headers } = await chapter.get(path + query, as, CSV);
        expect(status).to.equal(200);
        expect(recordsOf(text).map(([id]) => id)).to.deep.equal(body.results.map(({ id }: { id: string }) => id));
        expect(text.startsWith('id,')).to.equal(true);
        expect(headers).to.include({
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': `attachment; filename="${fileName}"`,
          'cache-control': 'no-store',
        });
        expect(headers).to.not.have.property('content-length');
      }
    });
  }

  it('has the filters of the JSON list, and shows every field', async () => {
    const { text } = await chapter.get('/api/users/?email__isnull=false', chapter.leader, CSV);
    const { id, dateJoined } = chapter.leader;
    expect(text).to.equal(
      'id,username,email,first_name,last_name,division_id,groups,birthdate,is_active,is_staff,is_superuser,date_joined\r\n' +
        `${id},leader,leader@example.org,,,${chapter.north.id},Leader,1990-05-17,true,false,false,${dateJoined}\r\n`,
    );
  });

  it('has Vary: Accept, like the JSON list and the refusals of both; other endpoints do not', async () => {
    for (const [path, as] of Object.values(lists())) {
      for (const headers of [{}, CSV]) {
        expect((await chapter.get(path, as, headers)).headers['vary']).to.equal('Origin, Accept');
        const refused = await chapter.get(`${path}?unknown=x`, as, headers);
        expect([refused.status, refused.headers['vary']]).to.deep.equal([422, 'Origin, Accept']);
      }
    }
    expect((await chapter.get('/api/info/', chapter.user)).headers['vary']).to.equal('Origin');
  });

  it('is returned only if Accept names it with a higher quality than JSON, and no request gets 406', async () => {
    const types = await Promise.all(
      ['text/csv;q=0.9, application/json;q=0.8', 'text/csv, application/json', '*/*', 'image/png', 'text/csv;q=x'].map(
        async (accept) => (await chapter.get('/api/users/', chapter.leader, { accept })).headers['content-type'],
      ),
    );
    const json = 'application/json';
    expect(types).to.deep.equal(['text/csv; charset=utf-8; header=present', json, json, json, json]);
    const two = await chapter.get('/api/users/', chapter.leader, { accept: ['text/csv', 'application/json;q=0.5'] });
    expect(two.headers['content-type']).to.match(/^text\/csv/);
  });

  it('has no pages: page_size, cursor and count are unknown parameters, and other faults are reported with them', async () => {
    for (const [path, as] of Object.values(lists())) {
      const refused = await chapter.get(`${path}?page_size=5&cursor=x&count=true&serch=x&ordering=y`, as, CSV);
      expect(refused.status).to.equal(422);
      expect(refused.headers['content-type']).to.equal('application/problem+json');
      expect(refused.headers).to.not.have.property('content-disposition');
      expect(faultsOf(refused)).to.have.members([
        'page_size unknown_parameter',
        'cursor unknown_parameter',
        'count unknown_parameter',
        'serch unknown_parameter',
        'ordering invalid_format',
      ]);
      expect(refused.text).to.include('did you mean `search`?').and.include('is not available for CSV');
    }
    expect(await exportsIn(chapter)).to.deep.equal([]);
  });

  it('accepts a query string of up to 24 KiB', async () => {
    const query = (bytes: number): string => `/api/users/?username__in=${'a,'.repeat(bytes).slice(0, bytes - 13)}`;
    const tooLong = await chapter.get(query(24 * 1024 + 1), chapter.leader, CSV);
    expect(tooLong.body.errors).to.deep.equal([
      { field: '', code: 'too_long', detail: 'the query string must have at most 24576 bytes' },
    ]);
    const tooManyValues = await chapter.get(query(24 * 1024), chapter.leader, CSV);
    expect(faultsOf(tooManyValues)).to.deep.equal(['username__in too_long']);
  });

  it('has the permissions of the JSON list', async () => {
    const { user, southLeader, north } = chapter;
    const ofNorth = `/api/division/${north.id}/users/`;
    for (const [path, as] of [
      ['/api/users/', user],
      ['/api/divisions/', user],
      [ofNorth, southLeader],
      ['/api/division/x/users/', chapter.leader],
    ] as const) {
      const json = await chapter.get(path, as);
      const csv = await chapter.get(`${path}?unknown=x`, as, CSV);
      expect([csv.status, csv.body.code, csv.body.detail]).to.deep.equal([
        json.status,
        json.body.code,
        json.body.detail,
      ]);
    }
    expect((await chapter.get('/api/users/', undefined, CSV)).status).to.equal(401);
    expect((await chapter.get('/api/users/', southLeader, CSV)).text).to.not.include(north.id);
    expect(await exportsIn(chapter)).to.have.lengthOf(1);
  });

  it('is recorded once, with the caller, the list and the names of the filters', async () => {
    const headers = { ...CSV, 'x-request-id': 'csv-1' };
    await chapter.get('/api/users/?last_name__istartswith=secret&search=secret', chapter.guest, headers);
    await chapter.get('/api/users/', chapter.guest);
    const entries = await exportsIn(chapter);
    expect(entries).to.have.lengthOf(1);
    expect(entries[0]).to.include({ action: 'exportUsers', authorId: chapter.guest.id, requestId: 'csv-1' });
    expect(entries[0]?.changes).to.deep.equal({ filters: { old: null, new: ['last_name__istartswith', 'search'] } });
    expect(JSON.stringify(entries)).to.not.include('secret');
  });

  it('has the same head for HEAD, which opens and records nothing', async () => {
    for (const [path, as] of Object.values(lists())) {
      const { headers } = await chapter.get(path, as, CSV);
      const head = await chapter.send('HEAD', path, { as, headers: CSV });
      const ignored = { date: '', 'x-request-id': '', 'transfer-encoding': '' };
      expect({ ...head.headers, ...ignored }).to.deep.equal({ ...headers, ...ignored });
      expect([head.status, head.text]).to.deep.equal([200, '']);
      expect((await chapter.send('HEAD', `${path}?count=true`, { as, headers: CSV })).status).to.equal(422);
    }
    expect(await exportsIn(chapter)).to.have.lengthOf(3);
  });
});

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

  it('is refused with 503 while two others are unread, until one of them ends', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    chapter = await makeServedChapter({}, ({ listExports }) => ({
      listExports: {
        ...listExports,
        users: async (...request) => {
          const opened = await listExports.users(...request);
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
        },
      },
    }));
    const unread = [await begin(), await begin()] as const;
    for (const response of unread) response.on('error', () => {});
    const refused = await chapter.get('/api/users/', chapter.leader, CSV);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).to.deep.equal([
      503,
      'unavailable',
      '30',
    ]);
    expect((await chapter.send('HEAD', '/api/users/', { as: chapter.leader, headers: CSV })).status).to.equal(200);
    expect(await exportsIn(chapter)).to.have.lengthOf(2);
    unread[0].destroy();
    await ended;
    expect((await chapter.get('/api/users/', chapter.leader, CSV)).status).to.equal(200);
    expect(await exportsIn(chapter)).to.have.lengthOf(3);
  });

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
