import type { LoginLimits } from '../../ports/login-limits.ts';
import { type ContractCase, promise } from './contract-case.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';

const HOME = '192.0.2.0/24';
const AWAY = '2001:db8:0:1::/64';
const MINUTE = 60;

const fail = async (loginLimits: LoginLimits, username: string, network: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) await loginLimits.begin({ username }, network);
};

/** What all login limits promise, whatever clock they follow. */
export const loginLimitsContract: readonly ContractCase[] = [
  promise('let ten attempts of a username from a network begin, and no more', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    const { retryAfter } = await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
    const seconds = Number.isInteger(retryAfter) && Number(retryAfter) > 0 && Number(retryAfter) <= 15 * MINUTE;
    expectEqual(seconds, true, `that ${retryAfter} are whole seconds of 15 minutes`);
  }),

  promise('lock nobody out from another network, nor others from the same one', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    await loginLimits.begin({ username: 'ada' }, AWAY);
    await loginLimits.begin({ username: 'eve' }, HOME);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
  }),

  promise('count the attempts of a user apart from those with any username', async ({ loginLimits }) => {
    const userId = '0197f0aa-0000-7000-8000-0000000000a1';
    for (let time = 0; time < 10; time++) await loginLimits.begin({ userId }, HOME);
    await expectRefusal('rate_limited', loginLimits.begin({ userId }, HOME));
    await loginLimits.begin({ userId }, AWAY);
    await loginLimits.begin({ username: userId }, HOME);
  }),

  promise('let a hundred attempts from a network begin, whoever is named, and no more', async ({ loginLimits }) => {
    for (let person = 0; person < 10; person++) await fail(loginLimits, `person-${person}`, HOME, 10);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'somebody-else' }, HOME));
    await loginLimits.begin({ username: 'somebody-else' }, AWAY);
  }),

  promise('count attempts without a subject for the network alone, and give them back', async ({ loginLimits }) => {
    const attempts = [];
    for (let time = 0; time < 100; time++) attempts.push(await loginLimits.begin(null, HOME));
    await expectRefusal('rate_limited', loginLimits.begin(null, HOME));
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
    await loginLimits.begin(null, AWAY);
    await attempts[0]?.succeeded();
    await attempts[1]?.withdraw();
    await loginLimits.begin({ username: 'ada' }, HOME);
    await loginLimits.begin(null, HOME);
    await expectRefusal('rate_limited', loginLimits.begin(null, HOME));
  }),

  promise('count no attempt that they did not let begin', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    for (let time = 0; time < 100; time++)
      await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
    await loginLimits.begin({ username: 'eve' }, HOME);
  }),

  promise('take a successful attempt back, and what the username failed from this network', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 9);
    await (await loginLimits.begin({ username: 'ada' }, HOME)).succeeded();
    await fail(loginLimits, 'ada', HOME, 10);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
  }),

  promise('clear nothing else with a success', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    await fail(loginLimits, 'ada', AWAY, 10);
    await (await loginLimits.begin({ username: 'eve' }, HOME)).succeeded();
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, AWAY));
  }),

  promise('keep what a network failed after a success from it, but for the attempt itself', async ({ loginLimits }) => {
    for (let person = 0; person < 9; person++) await fail(loginLimits, `person-${person}`, HOME, 10);
    await fail(loginLimits, 'ada', HOME, 9);
    await (await loginLimits.begin({ username: 'ada' }, HOME)).succeeded();
    await loginLimits.begin({ username: 'ada' }, HOME);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'somebody-else' }, HOME));
  }),

  promise('take a withdrawn attempt back, and nothing else', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 9);
    for (let time = 0; time < 12; time++) await (await loginLimits.begin({ username: 'ada' }, HOME)).withdraw();
    await fail(loginLimits, 'ada', HOME, 1);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
    for (let person = 0; person < 9; person++) await fail(loginLimits, `person-${person}`, HOME, 10);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'somebody-else' }, HOME));
  }),

  promise('take nothing back for an attempt withdrawn after a success has cleared it', async ({ loginLimits }) => {
    const late = await loginLimits.begin({ username: 'ada' }, HOME);
    await (await loginLimits.begin({ username: 'ada' }, HOME)).succeeded();
    await late.withdraw();
    await fail(loginLimits, 'ada', HOME, 10);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
  }),

  promise('let no attempt of a username slip past when all come at once', async ({ loginLimits }) => {
    const raced = await outcomesOf(Array.from({ length: 40 }, () => loginLimits.begin({ username: 'ada' }, HOME)));
    expectEqual([raced.kept.length, raced.refused.length, [...new Set(raced.refused)]], [10, 30, ['rate_limited']]);
  }),

  promise('let no attempt from a network slip past when all come at once', async ({ loginLimits }) => {
    const attempts = Array.from({ length: 120 }, (_, person) =>
      loginLimits.begin({ username: `person-${person}` }, HOME),
    );
    const raced = await outcomesOf(attempts);
    expectEqual([raced.kept.length, raced.refused.length], [100, 20]);
  }),
];

/** What login limits promise that follow the world's clock. */
export const loginLimitsInTimeContract: readonly ContractCase[] = [
  promise('count an attempt for 15 minutes', async ({ clock, loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    clock.advance(15 * MINUTE - 2);
    const { retryAfter } = await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
    expectEqual(Number(retryAfter) <= 2, true, `that ${retryAfter} seconds are at most 2`);
    clock.advance(4);
    await fail(loginLimits, 'ada', HOME, 10);
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, HOME));
  }),

  promise('count the attempts from a network for 15 minutes', async ({ clock, loginLimits }) => {
    for (let person = 0; person < 10; person++) await fail(loginLimits, `person-${person}`, HOME, 10);
    clock.advance(15 * MINUTE + 2);
    await loginLimits.begin({ username: 'somebody-else' }, HOME);
  }),

  promise('take nothing back from a later 15 minutes than the attempt began in', async ({ clock, loginLimits }) => {
    const late = await loginLimits.begin({ username: 'ada' }, HOME);
    clock.advance(15 * MINUTE + 2);
    for (let person = 0; person < 10; person++) await fail(loginLimits, `person-${person}`, HOME, 10);
    await late.succeeded();
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'somebody-else' }, HOME));
    const later = await loginLimits.begin({ username: 'ada' }, AWAY);
    clock.advance(15 * MINUTE + 2);
    await fail(loginLimits, 'ada', AWAY, 10);
    await later.withdraw();
    await expectRefusal('rate_limited', loginLimits.begin({ username: 'ada' }, AWAY));
  }),
];
