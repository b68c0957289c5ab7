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
  const found = async (query: string) => (await leader.clients[0]('GET', `${USERS}?${query}`)).body.results;
  const post = (body: object, headers?: Record<string, string>) => (caller: Client) =>
    caller('POST', USERS, { password: STRONG, ...body }, headers);
  const patch = (id: string, body: object, headers?: Record<string, string>) => (caller: Client) =>
    caller('PATCH', `${USERS}${id}`, body, headers);

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
