import { expect } from 'chai';
import type { Client } from '../../../../test-support/client.ts';
import { type LoggedIn, PASSWORD, useTwoServices } from '../../../../test-support/two-services.ts';

const TIMES = 20;
const USERS = '/api/users/';
const STRONG = 'a long enough secret';

describe(`Concurrent requests to two services on one database, ${TIMES} times each`, () => {
  const world = useTwoServices();
  let leader: LoggedIn;
  before(async () => {
    leader = await world().logIn('leader');
  });

  /** Sends all requests at once, alternating between the instances. Returns the responses, and their sorted statuses and codes. */
  const race = async (
    requests: readonly ((caller: Client) => ReturnType<Client>)[],
    { clients }: LoggedIn = leader,
  ) => {
    const responses = await Promise.all(requests.map((send, n) => send(clients[n % 2 === 0 ? 0 : 1])));
    const outcomes = responses.map(({ status, body }) => (body?.code ? `${status} ${body.code}` : `${status}`));
    return { responses, outcomes: outcomes.toSorted() };
  };
  const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
  const repeat = async (run: (time: number) => Promise<void>): Promise<void> => {
    for (let time = 0; time < TIMES; time++) await run(time);
  };
  // The service limits the conflicts of one caller to a hundred, so each leader makes ten rounds only.
  const leaders: LoggedIn[] = [];
  const freshLeader = async (time: number): Promise<LoggedIn> => {
    const nth = Math.floor(time / 10);
    if (!leaders[nth]) {
      await world().createUser(`judge-${nth}`, ['Leader']);
      leaders[nth] = await world().logIn(`judge-${nth}`);
    }
    return leaders[nth];
  };
  const found = async (query: string) => (await leader.clients[0]('GET', `${USERS}?${query}`)).body.results;
  const post = (body: object, headers?: Record<string, string>) => (caller: Client) =>
    caller('POST', USERS, { password: STRONG, ...body }, headers);
  const patch = (id: string, body: object, headers?: Record<string, string>) => (caller: Client) =>
    caller('PATCH', `${USERS}${id}`, body, headers);

  it('all take effect if they change different fields', async () => {
    const id = await world().createUser('merged');
    await repeat(async (time) => {
      const changes = {
        email: `merged-${time}@example.org`,
        first_name: `First ${time}`,
        last_name: `Last ${time}`,
        birthdate: `19${10 + time}-01-01`,
        groups: time % 2 ? ['Guest'] : ['User'],
        username: `merged-${time}`,
      };
      const sent = Object.entries(changes).map(([field, value]) => patch(id, { [field]: value }));
      expect((await race(sent)).outcomes).to.deep.equal(many(sent.length, () => '200'));
      expect((await found(`id=${id}`))[0]).to.deep.include(changes);
    });
  });

  it('assign a username to exactly one user, regardless of case', () =>
    repeat(async (time) => {
      const caller = await freshLeader(time);
      const names = [`Rival-${time}`, `rival-${time}`, `RIVAL-${time}`, ` rival-${time} `];
      const { outcomes } = await race(
        names.map((username) => post({ username })),
        caller,
      );
      expect(outcomes).to.deep.equal(['201', ...many(3, () => '409 username_taken')]);
      expect(await found(`username=rival-${time}`)).to.have.lengthOf(1);
    }));

  it('assign an email to exactly one user, new or existing', async () => {
    const id = await world().createUser('late');
    await repeat(async (time) => {
      const caller = await freshLeader(time);
      const email = `Shared-${time}@Example.org`;
      const created = many(3, (n) => post({ username: `sharer-${time}-${n}`, email: n ? email : email.toLowerCase() }));
      const { outcomes } = await race([...created, patch(id, { email })], caller);
      expect(outcomes.slice(1)).to.deep.equal(many(3, () => '409 email_taken'));
      expect(outcomes[0]).to.match(/^20[01]$/);
      expect(await found(`email=${email}`)).to.have.lengthOf(1);
    });
  });

  it('create one user with one Idempotency-Key, and return the same response to all', () =>
    repeat(async (time) => {
      const body = { username: `once-${time}` };
      const { responses, outcomes } = await race(many(4, () => post(body, { 'Idempotency-Key': `key-${time}` })));
      expect(outcomes).to.deep.equal(many(4, () => '201'));
      for (const response of responses) expect(response.body).to.deep.equal(responses[0]?.body);
      expect(await found(`username=once-${time}`)).to.have.lengthOf(1);
    }));

  it('succeed exactly once with the same If-Match', async () => {
    const id = await world().createUser('matched');
    await repeat(async (time) => {
      const { headers } = await leader.clients[1]('GET', `${USERS}${id}/`);
      const ifMatch = { 'If-Match': headers.get('etag') ?? '' };
      const { outcomes } = await race(many(4, (n) => patch(id, { last_name: `${time} ${n}` }, ifMatch)));
      expect(outcomes).to.deep.equal(['200', ...many(3, () => '412 precondition_failed')]);
    });
  });

  it('delete once, and never a user that has changed since it was read', () =>
    repeat(async (time) => {
      const id = await world().createUser(`fleeting-${time}`);
      const { headers } = await leader.clients[0]('GET', `${USERS}${id}/`);
      const ifMatch = { 'If-Match': headers.get('etag') ?? '' };
      const remove = (caller: Client) => caller('DELETE', `${USERS}${id}`, undefined, ifMatch);
      const { outcomes } = await race([remove, patch(id, { last_name: 'Stays' }, ifMatch), remove]);
      const kept = (await found(`id=${id}`))[0];
      if (kept)
        expect([outcomes, kept.last_name]).to.deep.equal([
          ['200', '412 precondition_failed', '412 precondition_failed'],
          'Stays',
        ]);
      else expect(outcomes).to.deep.equal(['204', '404 not_found', '404 not_found']);
    }));

  it('keep a Leader when the last two demote each other or themselves', async () => {
    const { logIn, sql } = world();
    const first = await logIn('leader.south');
    const south = (id: string) => patch(id, { groups: ['User'] });
    const { body } = await post({ username: 'second.south', groups: ['Leader'] })(first.clients[0]);
    const second = await logIn('second.south', STRONG);
    const ids = [(await first.clients[0]('GET', '/api/info/')).body.id, body.id] as const;
    await repeat(async (time) => {
      const own = time % 2 === 0 ? 0 : 1;
      const responses = await Promise.all([
        south(ids[own])(first.clients[0]),
        south(ids[1 - own] ?? '')(second.clients[1]),
      ]);
      const outcomes = responses.map(({ status }) => status).toSorted((one, other) => one - other);
      expect(outcomes[0]).to.equal(200);
      expect(outcomes[1]).to.be.oneOf([403, 404, 409]);
      const { rows } = await sql.query<{ id: string }>(
        `select id from user_account where id = any($1) and groups @> '{Leader}'`,
        [ids],
      );
      expect(rows).to.have.lengthOf(1);
      await sql.query(`update user_account set groups = '{Leader}' where id = any($1)`, [ids]);
    });
  });

  it('are refused if the caller loses the rights while they wait', async () => {
    const { createUser, logIn, sql } = world();
    const id = await createUser('waiting', ['Leader']);
    const target = await createUser('waited-for');
    const waiting = await logIn('waiting', PASSWORD);
    await repeat(async (time) => {
      const thief = await sql.connect();
      await thief.query('begin');
      await thief.query(`update user_account set groups = '{}' where id = $1`, [id]);
      const racing = race(
        [
          patch(target, { last_name: `Stolen ${time}` }),
          post({ username: `stolen-${time}` }),
          (caller) => caller('DELETE', `${USERS}${target}`),
          patch(id, { groups: ['Leader', 'Guest'] }),
        ],
        waiting,
      );
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await sql.query(waits)).rowCount !== 4) await new Promise((resolve) => setTimeout(resolve, 5));
      await thief.query('commit');
      thief.release();
      expect((await racing).outcomes).to.deep.equal([
        '403 field_forbidden',
        '403 forbidden',
        '404 not_found',
        '404 not_found',
      ]);
      expect(await found(`username__in=stolen-${time},waited-for`)).to.have.lengthOf(1);
      await sql.query(`update user_account set groups = '{Leader}' where id = $1`, [id]);
    });
  });
});
