import { expect } from 'chai';
import { PASSWORD, type TwoServices, useTwoServices } from '../../../../test-support/two-services.ts';

const LOGIN = '/api/auth/login/';

/** Counts how often each status occurs. */
const tally = (statuses: readonly number[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('The limit of login attempts, with two services on one database', () => {
  const world = useTwoServices();

  /** Tries to log in at one of the two instances. */
  const attempt = async (at: number, username: string, network: string, password = 'wrong'): Promise<number> => {
    const { anonymous } = world();
    const caller = anonymous[(at % 2) as 0 | 1];
    const { status, headers } = await caller('POST', LOGIN, { username, password }, { 'X-Forwarded-For': network });
    expect(headers.has('retry-after')).to.equal(status === 429 || status === 503);
    return status;
  };
  const times = <T>(count: number, run: (at: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => run(at)));

  it('admits exactly ten of a hundred concurrent attempts for one user, then not even the right password', async () => {
    const { newNetwork } = world();
    const guessing = newNetwork();
    expect(tally(await times(100, (at) => attempt(at, 'leader', guessing)))).to.deep.equal({ 401: 10, 429: 90 });
    for (const at of [0, 1]) expect(await attempt(at, 'Leader', guessing, PASSWORD)).to.equal(429);
  });

  it('does not affect other networks, nor other users of the same network', async () => {
    const { newNetwork } = world();
    const guessing = newNetwork();
    await times(12, (at) => attempt(at, 'user', guessing));
    expect(await attempt(0, 'user', guessing, PASSWORD)).to.equal(429);
    expect(await attempt(1, 'user', newNetwork(), PASSWORD)).to.equal(200);
    expect(await attempt(0, 'guest', guessing, PASSWORD)).to.equal(200);
    // The success from the other network has not cleared the limit of this network.
    expect(await attempt(1, 'user', guessing, PASSWORD)).to.equal(429);
  });

  it('admits exactly a hundred of a hundred and twenty concurrent attempts from one network, for any users', async () => {
    const { newNetwork } = world();
    const spraying = newNetwork();
    const neighbours = (at: number) => spraying.replace(/\d+$/, String(at));
    const statuses = await times(120, (at) => attempt(at, `victim-${at}`, neighbours(at)));
    expect(tally(statuses)).to.deep.equal({ 401: 100, 429: 20 });
    expect(await attempt(0, 'guest', spraying, PASSWORD)).to.equal(429);
    expect(await attempt(1, 'guest', newNetwork(), PASSWORD)).to.equal(200);
  });

  it('returns the same responses for existing and unknown users, below and above the limit', async () => {
    const { newNetwork, anonymous } = world();
    const responses = await Promise.all(
      ['user', 'unknown'].map(async (username) => {
        const headers = { 'X-Forwarded-For': newNetwork(), 'X-Request-Id': 'same' };
        const all = [];
        for (let tries = 0; tries < 12; tries++) {
          const { status, body } = await anonymous[tries % 2 === 0 ? 0 : 1](
            'POST',
            LOGIN,
            { username, password: 'wrong' },
            headers,
          );
          all.push({ status, body });
        }
        return all;
      }),
    );
    expect(tally(responses[0]?.map(({ status }) => status) ?? [])).to.deep.equal({ 401: 10, 429: 2 });
    expect(responses[0]).to.deep.equal(responses[1]);
  });

  it('counts guesses of the current password per user and network, at all instances and across renames', async () => {
    const { logIn, newNetwork, createUser }: TwoServices = world();
    const id = await createUser('stolen');
    const { clients: stolen } = await logIn('stolen');
    const headers = { 'X-Forwarded-For': newNetwork() };
    const change = async (at: number, fields: Readonly<Record<string, string>>) =>
      (await stolen[(at % 2) as 0 | 1]('PATCH', `/api/users/${id}`, fields, headers)).status;
    const guess = (at: number, current: string) =>
      change(at, { password: 'a long enough secret', current_password: current });
    expect(tally(await times(4, (at) => guess(at, `guess-${at}`)))).to.deep.equal({ 422: 4 });
    expect(await change(0, { username: 'renamed' })).to.equal(200);
    expect(tally(await times(40, (at) => guess(at, `guess-${at}`)))).to.deep.equal({ 422: 6, 429: 34 });
    expect(await change(0, { username: 'stolen' })).to.equal(200);
    expect(await guess(0, PASSWORD)).to.equal(429);
    expect(await attempt(1, 'stolen', headers['X-Forwarded-For'], PASSWORD)).to.equal(200);
  });

  it('is cleared by a successful login, for this user and network only', async () => {
    const { newNetwork } = world();
    const network = newNetwork();
    for (let round = 0; round < 3; round++) {
      await times(9, (at) => attempt(at, 'guest', network));
      expect(await attempt(round, 'guest', network, PASSWORD)).to.equal(200);
    }
  });
});
