import { expect } from 'chai';
import { clientOf, type ResponseJson } from '../../test-support/client.ts';
import { kinds, type LoadRequest } from '../kinds.ts';
import { BASELINE, JSON_BASELINE, SERVICE } from '../server.ts';
import { readSettings } from '../settings.ts';
import { openSetup, type RunningServer, type Setup } from '../setup.ts';

/** Returns the values of the cursor in a link, without the checksum, which the baseline omits. */
const valuesIn = (link: string | null): unknown => {
  const cursor = link && new URLSearchParams(link.split('?')[1]).get('cursor');
  return cursor && (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]).slice(1);
};

const comparable = (body: ResponseJson): unknown =>
  'next' in body ? { ...body, next: valuesIn(body.next), previous: valuesIn(body.previous) } : body;

describe('the baseline of the bench, compared with the service,', () => {
  const stack = new AsyncDisposableStack();
  const servers: RunningServer[] = [];
  let world: Setup['world'];
  let client: Setup['client'];

  before('start all', async () => {
    const setup = await openSetup(readSettings({ BENCH: 'short' }), stack);
    ({ client, world } = setup);
    servers.push(...(await Promise.all([SERVICE, BASELINE, JSON_BASELINE].map((program) => setup.start(program)))));
  });
  after('stop them', () => stack.disposeAsync());

  const send = ({ method, path, token, body }: LoadRequest) =>
    servers.map(({ url, name }) => clientOf(url, token)(method, path, body && JSON.parse(body.replace('{n}', name))));

  for (const { name, request } of kinds.filter(({ hashes }) => !hashes)) {
    it(`returns the response of the service: ${name}`, async () => {
      for (const at of [0, 1, 2, 3, 5, 8, 10, 13, 14]) {
        const sent = request(world, at);
        // All make the same change, so that all responses show it.
        const same = sent.method === 'PATCH' ? { ...sent, body: `{"first_name":"Name ${at}"}` } : sent;
        const [service, ...baselines] = await Promise.all(send(same));
        expect(service?.status).to.equal(200);
        for (const { body, headers } of baselines) {
          expect(comparable(body)).to.deep.equal(comparable(service?.body));
          if (sent.method === 'GET') expect(headers.get('etag')).to.equal(service?.headers.get('etag'));
        }
      }
    });
  }

  it('writes the audit entry of the service', async () => {
    const request = kinds.find(({ name }) => name === 'change a user')?.request(world, 20);
    if (!request) throw new Error('unknown kind of request');
    for (const response of send(request)) await response;
    const { rows } = await client.query<{ changes: Record<string, { old: unknown; new: unknown }> }>(
      'select action, author_id, author_name, target_type, target_id, division_id, changes from audit_entry where target_id = $1 order by at',
      [request.path.split('/').at(-1)],
    );
    const changes = rows.map((row) => row.changes['firstName']);
    expect(changes.map((change) => change?.new)).to.have.members(servers.map(({ name }) => `Name ${name}`));
    for (const row of rows) expect({ ...row, changes: null }).to.deep.equal({ ...rows[0], changes: null });
  });

  it('reads the rights of the caller on every request, like the service', async () => {
    const [caller] = world.staff;
    const request: LoadRequest = { method: 'GET', path: '/api/users/', token: caller?.token ?? '' };
    const statuses = async () => (await Promise.all(send(request))).map(({ status }) => status);
    expect(await statuses()).to.deep.equal([200, 200, 200]);
    await client.query('delete from session where user_id = $1', [caller?.id]);
    expect(await statuses()).to.deep.equal([401, 404, 404]);
  });
});
