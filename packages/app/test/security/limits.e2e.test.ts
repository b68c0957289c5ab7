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
