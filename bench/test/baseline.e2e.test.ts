import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { clientOf, type Json } from '../../test-support/client.ts';
import { useTestDatabase } from '../../test-support/database.ts';
import { kinds, type LoadRequest } from '../kinds.ts';
import { type RunningServer, startServer } from '../server.ts';
import { readSettings } from '../settings.ts';
import { makeKey } from '../tokens.ts';
import { collectCursors, fillWorld, readCallers, type World } from '../world.ts';

const { population, scrypt } = readSettings({ BENCH: 'short' });

/** Cursors begin with a mark of their list, which the baseline leaves out. */
const valuesIn = (link: string | null): unknown => {
  const cursor = link && new URLSearchParams(link.split('?')[1]).get('cursor');
  return cursor && (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]).slice(1);
};

const comparable = (body: Json): unknown =>
  'next' in body ? { ...body, next: valuesIn(body.next), previous: valuesIn(body.previous) } : body;

describe('the baseline of the bench', () => {
  const database = useTestDatabase((url) => fillWorld(url, { population, scrypt }));

  // The hooks of this suite stop the servers before the database is dropped.
  describe('beside the service', () => {
    const servers: RunningServer[] = [];
    let world: World;
    let folder: string;
    let client: Client;

    before('start the baseline and the service', async () => {
      folder = await mkdtemp(join(tmpdir(), 'chapter-bench-test-'));
      const [key, keysFile] = [makeKey(), join(folder, 'keys.json')];
      await writeFile(keysFile, key.text);
      client = new Client({ connectionString: database.url });
      await client.connect();
      const callers = await readCallers(client, key.privateKey);
      const [caller] = callers.deepStaff;
      if (!caller) throw new Error('the database has no callers');
      const { id, token } = caller;
      const settings = { databaseUrl: database.url, keysFile, scrypt, probe: { path: `/api/users/${id}/`, token } };
      servers.push(...(await Promise.all([startServer('baseline', settings), startServer('service', settings)])));
      world = { ...callers, cursors: await collectCursors(servers[1]?.url ?? '', token, population.members) };
    });
    after('stop them', async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await client?.end();
      if (folder) await rm(folder, { recursive: true });
    });

    const send = ({ method, path, token, body }: LoadRequest) =>
      servers.map(({ url, name }) => clientOf(url, token)(method, path, body && JSON.parse(body.replace('{n}', name))));

    for (const { name, request, hashes } of kinds) {
      it(`gives the response of the service: ${name}`, async () => {
        for (const at of [0, 1, 2, 3, 5, 8, 10, 13, 14]) {
          const sent = request(world, at);
          // Both make the same change, so that the second response shows it as well.
          const same = sent.method === 'PATCH' ? { ...sent, body: `{"first_name":"Name ${at}"}` } : sent;
          const [baseline, service] = await Promise.all(send(same));
          expect(service?.status).to.be.oneOf([200, 201]);
          // In place of a login or creation, the baseline hashes a password.
          if (hashes) expect(baseline?.body).to.deep.equal({});
          else expect(comparable(baseline?.body)).to.deep.equal(comparable(service?.body));
          if (sent.method === 'GET') expect(baseline?.headers.get('etag')).to.equal(service?.headers.get('etag'));
          if (hashes) break;
        }
      });
    }

    it('writes the audit entry of the service', async () => {
      const request = kinds.find(({ name }) => name === 'change a user')?.request(world, 20);
      if (!request) throw new Error('there is no such kind of request');
      for (const response of send(request)) await response;
      const { rows } = await client.query<{ changes: Record<string, { old: unknown; new: unknown }> }>(
        'select action, author_id, author_name, target_type, target_id, division_id, changes from audit_entry where target_id = $1 order by at',
        [request.path.split('/').at(-1)],
      );
      const changes = rows.map((row) => row.changes['firstName']);
      expect(changes.map((change) => change?.new)).to.have.members(['Name baseline', 'Name service']);
      expect({ ...rows[0], changes: null }).to.deep.equal({ ...rows[1], changes: null });
    });

    it('reads the rights of the caller at every request, as the service does', async () => {
      const [caller] = world.staff;
      const request: LoadRequest = { method: 'GET', path: '/api/users/', token: caller?.token ?? '' };
      const statuses = async () => (await Promise.all(send(request))).map(({ status }) => status);
      expect(await statuses()).to.deep.equal([200, 200]);
      await client.query('delete from session where user_id = $1', [caller?.id]);
      expect(await statuses()).to.deep.equal([404, 401]);
    });
  });
});
