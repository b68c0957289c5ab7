import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Client } from '../../../../test-support/client.ts';
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

  /** Repeats a request that is refused for lack of capacity, which counts as no attempt, when the service says so. */
  const retry = async (send: () => ReturnType<Client>): Promise<number> => {
    for (;;) {
      const { status, headers } = await send();
      const seconds = headers.get('retry-after');
      expect(seconds !== null).to.equal(status === 429 || status === 503);
      if (status !== 503) return status;
      await sleep(Number(seconds) * 1000);
    }
  };
  /** Tries to log in at one of the two instances. */
  const attempt = (at: number, username: string, network: string, password = 'wrong'): Promise<number> =>
    retry(() =>
      world().anonymous[(at % 2) as 0 | 1]('POST', LOGIN, { username, password }, { 'X-Forwarded-For': network }),
    );
  const times = <T>(count: number, run: (at: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => run(at)));

  it('admits exactly ten of a hundred concurrent attempts for one user, then not even the right password', async () => {
    const { newNetwork } = world();
    const guessing = newNetwork();
    expect(tally(await times(100, (at) => attempt(at, 'leader', guessing)))).to.deep.equal({ 401: 10, 429: 90 });
    for (const at of [0, 1]) expect(await attempt(at, 'Leader', guessing, PASSWORD)).to.equal(429);
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
    const change = (at: number, fields: Readonly<Record<string, string>>) =>
      retry(() => stolen[(at % 2) as 0 | 1]('PATCH', `/api/users/${id}`, fields, headers));
    const guess = (at: number, current: string) =>
      change(at, { password: 'a long enough secret', current_password: current });
    expect(tally(await times(4, (at) => guess(at, `guess-${at}`)))).to.deep.equal({ 422: 4 });
    expect(await change(0, { username: 'renamed' })).to.equal(200);
    expect(tally(await times(40, (at) => guess(at, `guess-${at}`)))).to.deep.equal({ 422: 6, 429: 34 });
    expect(await change(0, { username: 'stolen' })).to.equal(200);
    expect(await guess(0, PASSWORD)).to.equal(429);
    expect(await attempt(1, 'stolen', headers['X-Forwarded-For'], PASSWORD)).to.equal(200);
  });
});
