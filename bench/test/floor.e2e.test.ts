import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { useTestDatabase } from '../../test-support/database.ts';
import { startSessions } from '../data/callers.ts';
import { PASSWORD, prepareDatabase } from '../data/database.ts';
import { makeKey, TOKEN_LIFETIME } from '../data/keys.ts';
import { walkToCursors } from '../deep-cursors.ts';
import { type Kind, kinds, type LoadRequest, type World } from '../kinds.ts';
import { type RunningServer, startServer } from '../measure/server.ts';

const size = { divisions: 3, members: 60, deep: 200 };
const scrypt = { logN: 4, p: 1 };

/** What two answers to the same request have in common; what is new in each is taken out. */
const comparable = (kind: Kind, body: unknown): unknown => {
  const { id, username, date_joined, access_token, refresh_token, ...rest } = body as Record<string, unknown>;
  if (kind.name === 'log in') return { ...rest, tokens: [typeof access_token, String(refresh_token).length] };
  return kind.name === 'create a user'
    ? { ...rest, given: [id, username, date_joined].map((value) => typeof value) }
    : body;
};

const prepare = (url: string): Promise<void> => prepareDatabase(url, size, scrypt);

describe('the floor', () => {
  const database = useTestDatabase(prepare);

  // Its hooks stop the servers before the database goes.
  describe('beside the service', () => {
    const servers: RunningServer[] = [];
    let world: World;
    let folder: string;
    let client: Client;

    before('start the floor and the service', async () => {
      folder = await mkdtemp(join(tmpdir(), 'chapter-bench-test-'));
      const [key, keysFile] = [makeKey(), join(folder, 'keys.json')];
      await writeFile(keysFile, key.text);
      client = new Client({ connectionString: database.url });
      await client.connect();
      const callers = await startSessions(client, size, key.privateKey);
      const [prober] = callers.deepStaff;
      if (!prober) throw new Error('nobody is there to ask');
      const probe = { path: `/api/users/${prober.id}/`, token: prober.token };
      const settings = { databaseUrl: database.url, keysFile, scrypt, tokenLifetime: TOKEN_LIFETIME, probe };
      servers.push(...(await Promise.all([startServer('floor', settings), startServer('service', settings)])));
      const cursors = await walkToCursors(servers[1]?.url ?? '', prober.token, size.deep);
      world = { ...callers, size, cursors, password: PASSWORD };
    });
    after('stop them', async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await client?.end();
      if (folder) await rm(folder, { recursive: true });
    });

    let count = 0;
    const send = async ({ url, name }: RunningServer, { method, path, token, body }: LoadRequest) => {
      const headers = {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      count += 1;
      const sent = body === undefined ? {} : { body: body.replaceAll('{n}', `${name}${count}`) };
      const answer = await fetch(url + path, { method, headers, ...sent });
      return { status: answer.status, etag: answer.headers.get('etag'), body: await answer.json() };
    };

    for (const kind of kinds) {
      it(`answers as the service does: ${kind.name}`, async () => {
        for (const at of [0, 1, 2, 3, 5, 8, 10, 13, 14]) {
          const request = kind.request(world, at);
          // A change is made twice, with the same outcome.
          const same = request.method === 'PATCH' ? { ...request, body: `{"first_name":"Name ${at}"}` } : request;
          const [floor, service] = await Promise.all(servers.map((server) => send(server, same)));
          expect(service?.status).to.be.oneOf([200, 201]);
          expect(floor?.status).to.equal(service?.status);
          // A change by either makes a revision.
          if (request.method !== 'PATCH') expect(floor?.etag).to.equal(service?.etag);
          expect(comparable(kind, floor?.body)).to.deep.equal(comparable(kind, service?.body));
        }
      });
    }

    it('writes a change down as the service does', async () => {
      const request = kinds.find(({ name }) => name === 'change a user')?.request(world, 20);
      if (!request) throw new Error('there is no such kind of request');
      for (const server of servers) await send(server, request);
      const { rows } = await client.query<{ changes: Record<string, { old: unknown; new: unknown }> }>(
        'select action, author_id, author_name, target_type, target_id, division_id, changes from audit_entry where target_id = $1 order by at',
        [request.path.split('/').at(-1)],
      );
      const [floor, service] = rows.map(({ changes }) => changes);
      expect({ ...rows[0], changes: null }).to.deep.equal({ ...rows[1], changes: null });
      expect(Object.keys(floor ?? {})).to.deep.equal(['firstName']);
      expect(service?.['firstName']?.old).to.equal(floor?.['firstName']?.new);
    });

    it('asks for the rights of a caller at every request, as the service does', async () => {
      const [caller] = world.staff;
      if (!caller) throw new Error('nobody is there to ask');
      const request: LoadRequest = { method: 'GET', path: '/api/users/', token: caller.token };
      expect(await Promise.all(servers.map(async (server) => (await send(server, request)).status))).to.deep.equal([
        200, 200,
      ]);
      await client.query('delete from session where user_id = $1', [caller.id]);
      const statuses = await Promise.all(servers.map(async (server) => (await send(server, request)).status));
      expect(statuses).to.deep.equal([404, 401]);
    });
  });
});
