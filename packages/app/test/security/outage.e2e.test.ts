import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { Pool } from 'pg';
import { type Client, clientOf } from '../../../../test-support/client.ts';
import { DEMO_IDS, DEMO_PASSWORD } from '../../src/database/demo-data.ts';
import { type BehindNetwork, expectUnavailable, useServiceBehindNetwork } from './behind-network.ts';

const USERS = '/api/users/';
const STRONG = 'a long enough secret';

describe('A service behind an unreliable network', () => {
  const chapter = useServiceBehindNetwork();
  let network: BehindNetwork['network'];
  let service: BehindNetwork['service'];
  let leader: Client;
  let sql: Pool;

  before(() => {
    ({ network, service, leader } = chapter());
    sql = new Pool({ connectionString: chapter().databaseUrl, max: 2 });
    sql.on('error', () => {});
  });
  after(() => sql?.end());
  afterEach(() => network.mend());

  const admit = async (username: string, group = 'User'): Promise<string> => {
    const { status, body } = await leader('POST', USERS, { username, password: STRONG, groups: [group] });
    expect(status).to.equal(201);
    return body.id;
  };
  /** Returns the actions on a user from the audit trail, oldest first. */
  const actionsOn = async (id: string): Promise<readonly string[]> => {
    const { rows } = await sql.query<{ action: string }>(
      'select action from audit_entry where target_id = $1 order by at, id',
      [id],
    );
    return rows.map(({ action }) => action);
  };

  // The first test, because its pool must be fresh.
  it('takes one trip for a read, two for a list and a change, and three for a change of rights', async () => {
    const count = async (method: string, path: string, body?: object): Promise<number> => {
      const before = network.trips;
      expect((await leader(method, path, body)).status).to.be.within(200, 204);
      return network.trips - before;
    };
    const user = USERS + (await admit('counted'));
    const otherLeader = USERS + (await admit('counted-leader', 'Leader'));
    const division = `/api/divisions/${DEMO_IDS.divisions.North}`;
    // Opens a second connection: the look-ups of a caller and of a division leave together on two.
    await count('GET', `${division}/`);
    expect({
      read: await count('GET', `${user}/`),
      list: await count('GET', USERS),
      permissions: await count('GET', '/api/auth/permissions/'),
      permissionsOnUser: await count('GET', `/api/auth/permissions/?user=${user.slice(USERS.length)}`),
      change: await count('PATCH', user, { last_name: 'King' }),
      ofLeader: await count('PATCH', otherLeader, { last_name: 'King' }),
      ofRights: await count('PATCH', user, { groups: ['Guest'] }),
      deletion: await count('DELETE', user),
      divisionRead: await count('GET', `${division}/`),
      divisionChange: await count('PATCH', division, { logo: 'https://example.org/logo' }),
    }).to.deep.equal({
      read: 1,
      list: 2,
      permissions: 1,
      permissionsOnUser: 1,
      change: 2,
      ofLeader: 2,
      ofRights: 3,
      deletion: 3,
      divisionRead: 2,
      divisionChange: 4,
    });
  });

  it('returns 503 with Retry-After to requests that need the database, and recovers when it is back', async () => {
    const id = await admit('patient');
    const requests: readonly [string, string, object?][] = [
      ['GET', '/api/info/'],
      ['GET', USERS],
      ['GET', `${USERS}${id}/`],
      ['POST', USERS, { username: 'lost', password: STRONG }],
      ['PATCH', `${USERS}${id}`, { last_name: 'Lost' }],
      ['DELETE', `${USERS}${id}`],
      ['POST', '/api/auth/login/', { username: 'leader', password: DEMO_PASSWORD }],
      ['POST', '/api/auth/tokens/', { refresh_token: 'x'.repeat(43) }],
      ['DELETE', '/api/auth/tokens/', { refresh_token: 'x'.repeat(43) }],
    ];
    for (let time = 0; time < 3; time++) {
      network.cut();
      for (const [method, path, body] of requests) expectUnavailable(await leader(method, path, body));
      expect((await leader('GET', '/api/auth/keys/')).status).to.equal(200);
      network.mend();
      expect((await leader('GET', `${USERS}${id}/`)).status).to.equal(200);
    }
    expect(await actionsOn(id)).to.deep.equal(['createUser']);
  });

  it('returns 503 to requests that need a new connection, and recovers when PostgreSQL accepts connections', async () => {
    const list = () => leader('GET', USERS);
    const lists = () => Promise.all(Array.from({ length: 16 }, list));
    // Closes the connections that other tests have opened.
    network.cut();
    expectUnavailable(await list());
    network.mend();
    expect((await list()).status).to.equal(200);
    network.hangNew();
    const refused = (await lists()).filter(({ status }) => status !== 200);
    expect(refused).to.not.deep.equal([]);
    for (const response of refused) expectUnavailable(response);
    expect((await list()).status).to.equal(200);
    network.mend();
    for (const { status } of await lists()) expect(status).to.equal(200);
  });

  it('makes no partial changes when the network breaks during requests', async () => {
    const created = new Map<string, string>();
    const responses = new EventEmitter();
    const statuses = new Set<number>();
    const over = new AbortController();
    let breaks = 0;
    const work = async (worker: number): Promise<void> => {
      for (let n = 0; n < 30; n++) {
        const username = `half-${worker}-${n}`;
        const { status, body } = await leader('POST', USERS, { username, password: STRONG });
        if (status === 201) created.set(body.id, username);
        statuses.add(status);
        responses.emit(String(status));
      }
    };
    const working = Promise.all([0, 1, 2, 3].map(work)).finally(() => over.abort());
    const next = (status: '201' | '503'): Promise<unknown> =>
      once(responses, status, { signal: over.signal }).catch(() => undefined);
    // When one request is finished, the others are still running.
    for (; !over.signal.aborted; breaks += 1) {
      await next('201');
      network.cut();
      await next('503');
      network.mend();
    }
    await working;
    expect(breaks).to.be.greaterThan(1);
    expect([...statuses]).to.have.members([201, 503]);
    const { rows } = await sql.query<{ id: string; username: string; entries: number }>(
      `select u.id, u.username, (select count(*)::int from audit_entry where target_id = u.id) as entries
        from user_account u where u.username like 'half-%'`,
    );
    const stored = new Map(rows.map(({ id, username }) => [id, username]));
    for (const [id, username] of created) expect(stored.get(id)).to.equal(username);
    expect(rows.filter(({ entries }) => entries !== 1)).to.deep.equal([]);
    const { rows: orphans } = await sql.query(
      `select a.target_id from audit_entry a where a.changes::text like '%half-%' and not exists (select from user_account u where u.id = a.target_id)`,
    );
    expect(orphans).to.deep.equal([]);
  });

  for (const [where, outcome] of [
    ['before', 'did not'],
    ['after', 'did'],
  ] as const) {
    it(`creates once when a client retries with the same Idempotency-Key after a commit that ${outcome} happen`, async () => {
      const key = { 'Idempotency-Key': `lost-${where}` };
      const body = { username: `again-${where}`, password: STRONG };
      network.cutAt('commit', where);
      expectUnavailable(await leader('POST', USERS, body, key));
      const again = await leader('POST', USERS, body, key);
      expect(again.status).to.equal(201);
      expect(await actionsOn(again.body.id)).to.deep.equal(['createUser']);
    });
  }

  it('returns no session that it could not store, and no tokens if it could not mark the old one as used', async () => {
    const anonymous = clientOf(service.url);
    const { body } = await anonymous('POST', '/api/auth/login/', { username: 'guest', password: DEMO_PASSWORD });
    const refresh = () => anonymous('POST', '/api/auth/tokens/', { refresh_token: body.refresh_token });
    network.cutAt('commit', 'after');
    expectUnavailable(await refresh());
    // The response was lost, so the token is used. Within ten seconds it still gives another pair.
    expect((await refresh()).status).to.equal(200);
    network.cutAt('start-session', 'before');
    expectUnavailable(await anonymous('POST', '/api/auth/login/', { username: 'guest', password: DEMO_PASSWORD }));
    expect(
      (await anonymous('POST', '/api/auth/login/', { username: 'guest', password: DEMO_PASSWORD })).status,
    ).to.equal(200);
  });
});
