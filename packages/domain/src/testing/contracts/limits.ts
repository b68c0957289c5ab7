import { OPERATOR, type User } from '../../model/user.ts';
import { CONFLICT_LIMITS, type ConflictLimits } from '../../ports/conflict-limits.ts';
import type { LoginLimits } from '../../ports/login-limits.ts';
import { aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { HOME } from './fixtures.ts';

const AWAY = '2001:db8:0:1::/64';
const MINUTE = 60;

const fail = async (loginLimits: LoginLimits, username: string, network: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) await loginLimits.begin({ username }, network);
};

/** Fails ten times for each of `people` usernames, from the network `HOME`. */
const failAs = async (loginLimits: LoginLimits, people: number): Promise<void> => {
  for (let person = 0; person < people; person++) await fail(loginLimits, `person-${person}`, HOME, 10);
};

const expectLimited = (loginLimits: LoginLimits, username: string, network: string) =>
  expectRefusal('rate_limited', loginLimits.begin({ username }, network));

const lockedUser = async (world: World): Promise<User> => {
  const user = await storeUser(world, aUser().with({ username: 'Ada' }));
  await fail(world.loginLimits, 'ada', HOME, 10);
  await fail(world.loginLimits, 'ada', AWAY, 10);
  for (let time = 0; time < 10; time++) await world.loginLimits.begin({ userId: user.id }, HOME);
  return user;
};

/** Contract cases for every limit of logins. */
export const loginLimitsContract: readonly ContractCase[] = [
  contractCase('lock out neither other networks nor other usernames from the same network', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    await loginLimits.begin({ username: 'ada' }, AWAY);
    await loginLimits.begin({ username: 'eve' }, HOME);
    const { retryAfter } = await expectLimited(loginLimits, 'ada', HOME);
    const seconds = Number.isInteger(retryAfter) && Number(retryAfter) > 0 && Number(retryAfter) <= 15 * MINUTE;
    expectEqual(seconds, true, `that ${retryAfter} is a whole number of seconds within 15 minutes`);
  }),

  contractCase('count attempts by user id separately from attempts by username', async ({ loginLimits }) => {
    const userId = '0197f0aa-0000-7000-8000-0000000000a1';
    for (let time = 0; time < 10; time++) await loginLimits.begin({ userId }, HOME);
    await expectRefusal('rate_limited', loginLimits.begin({ userId }, HOME));
    await loginLimits.begin({ userId }, AWAY);
    await loginLimits.begin({ username: userId }, HOME);
  }),

  contractCase('count and give back attempts without a subject for the network alone', async ({ loginLimits }) => {
    const attempts = [];
    for (let time = 0; time < 100; time++) attempts.push(await loginLimits.begin(null, HOME));
    await expectRefusal('rate_limited', loginLimits.begin(null, HOME));
    await expectLimited(loginLimits, 'ada', HOME);
    await loginLimits.begin(null, AWAY);
    await attempts[0]?.succeeded();
    await attempts[1]?.withdraw();
    await loginLimits.begin({ username: 'ada' }, HOME);
    await loginLimits.begin(null, HOME);
    await expectRefusal('rate_limited', loginLimits.begin(null, HOME));
  }),

  contractCase('do not count attempts that they refused', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 10);
    for (let time = 0; time < 100; time++) await expectLimited(loginLimits, 'ada', HOME);
    await loginLimits.begin({ username: 'eve' }, HOME);
  }),

  contractCase('clear only the failures of the name from its network after a success', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 9);
    await fail(loginLimits, 'ada', AWAY, 10);
    await (await loginLimits.begin({ username: 'ada' }, HOME)).succeeded();
    await fail(loginLimits, 'ada', HOME, 10);
    await (await loginLimits.begin({ username: 'eve' }, HOME)).succeeded();
    for (const network of [HOME, AWAY]) await expectLimited(loginLimits, 'ada', network);
  }),

  contractCase('keep other failures of the network after a success', async ({ loginLimits }) => {
    await failAs(loginLimits, 9);
    await fail(loginLimits, 'ada', HOME, 9);
    await (await loginLimits.begin({ username: 'ada' }, HOME)).succeeded();
    await loginLimits.begin({ username: 'ada' }, HOME);
    await expectLimited(loginLimits, 'other', HOME);
  }),

  contractCase('remove a withdrawn attempt, and nothing else', async ({ loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 9);
    for (let time = 0; time < 12; time++) await (await loginLimits.begin({ username: 'ada' }, HOME)).withdraw();
    await fail(loginLimits, 'ada', HOME, 1);
    await expectLimited(loginLimits, 'ada', HOME);
    await failAs(loginLimits, 9);
    await expectLimited(loginLimits, 'other', HOME);
  }),

  contractCase('remove nothing for an attempt withdrawn after a success has cleared it', async ({ loginLimits }) => {
    const earlyAttempt = await loginLimits.begin({ username: 'ada' }, HOME);
    await (await loginLimits.begin({ username: 'ada' }, HOME)).succeeded();
    await earlyAttempt.withdraw();
    await fail(loginLimits, 'ada', HOME, 10);
    await expectLimited(loginLimits, 'ada', HOME);
  }),

  contractCase('allow no more concurrent attempts per username and network', async ({ loginLimits }) => {
    const raced = await outcomesOf(Array.from({ length: 40 }, () => loginLimits.begin({ username: 'ada' }, HOME)));
    expectEqual([raced.values.length, raced.refused.length, [...new Set(raced.refused)]], [10, 30, ['rate_limited']]);
  }),

  contractCase('allow no more concurrent attempts per network', async ({ loginLimits }) => {
    const names = Array.from({ length: 120 }, (_, person) => `person-${person}`);
    const raced = await outcomesOf(names.map((username) => loginLimits.begin({ username }, HOME)));
    expectEqual([raced.values.length, raced.refused.length, [...new Set(raced.refused)]], [100, 20, ['rate_limited']]);
  }),

  contractCase('clear the failures of one user from one network', async (world) => {
    const user = await lockedUser(world);
    await fail(world.loginLimits, 'eve', HOME, 10);
    await world.loginLimits.clear(user, HOME);
    await world.loginLimits.begin({ username: 'ada' }, HOME);
    await world.loginLimits.begin({ userId: user.id }, HOME);
    await expectLimited(world.loginLimits, 'ada', AWAY);
    await expectLimited(world.loginLimits, 'eve', HOME);
  }),

  contractCase('tell until when a user is locked out', async (world) => {
    const user = await storeUser(world, aUser().with({ username: 'Ada' }));
    await fail(world.loginLimits, 'ada', HOME, 9);
    await fail(world.loginLimits, 'eve', HOME, 10);
    expectEqual(await world.loginLimits.lockedUntil(user), null);
    await fail(world.loginLimits, 'ada', HOME, 1);
    const end = Date.parse((await world.loginLimits.lockedUntil(user)) ?? '') - Date.parse(world.clock.now());
    expectEqual(end > 0 && end <= 15 * MINUTE * 1000, true, `that ${end} ms are within 15 minutes`);
  }),

  contractCase('clear the failures of one user from all networks, with an audit entry if any', async (world) => {
    const user = await lockedUser(world);
    await fail(world.loginLimits, 'eve', HOME, 10);
    expectEqual(await world.loginLimits.unlock(OPERATOR, user.id), 30);
    expectEqual(await world.loginLimits.lockedUntil(user), null);
    expectEqual(await world.loginLimits.unlock(OPERATOR, user.id), 0);
    for (const network of [HOME, AWAY]) await world.loginLimits.begin({ username: 'ada' }, network);
    await expectLimited(world.loginLimits, 'eve', HOME);
    const entries = await world.audit.list({ userIds: [user.id], action: 'unlockUser', limit: 9 });
    const authors = entries.map(({ authorId }) => authorId);
    expectEqual(authors, [null], 'the authors of entries of unlocking');
    await expectRefusal('not_found', world.loginLimits.unlock(OPERATOR, world.ids.next()));
  }),

  contractCase('count an attempt for 15 minutes', async ({ clock, loginLimits }) => {
    await fail(loginLimits, 'ada', HOME, 1);
    clock.advance(MINUTE);
    await fail(loginLimits, 'ada', HOME, 9);
    clock.advance(14 * MINUTE - 2);
    const { retryAfter } = await expectLimited(loginLimits, 'ada', HOME);
    expectEqual(Number(retryAfter) <= 2, true, `that ${retryAfter} seconds are at most 2`);
    clock.advance(4);
    await fail(loginLimits, 'ada', HOME, 10);
    await expectLimited(loginLimits, 'ada', HOME);
  }),

  contractCase('neither tell nor clear what was counted more than 15 minutes ago', async (world) => {
    const user = await lockedUser(world);
    world.clock.advance(15 * MINUTE + 2);
    expectEqual(await world.loginLimits.lockedUntil(user), null);
    expectEqual(await world.loginLimits.unlock(OPERATOR, user.id), 0);
  }),

  contractCase('remove nothing from a window later than that of the attempt', async ({ clock, loginLimits }) => {
    const earlyAttempt = await loginLimits.begin({ username: 'ada' }, HOME);
    clock.advance(15 * MINUTE + 2);
    await failAs(loginLimits, 10);
    await earlyAttempt.succeeded();
    await expectLimited(loginLimits, 'other', HOME);
    const secondAttempt = await loginLimits.begin({ username: 'ada' }, AWAY);
    clock.advance(15 * MINUTE + 2);
    await fail(loginLimits, 'ada', AWAY, 10);
    await secondAttempt.withdraw();
    await expectLimited(loginLimits, 'ada', AWAY);
  }),
];

const ADA_ID = '0197f0aa-0000-7000-8000-0000000000a1';
const EVE_ID = '0197f0aa-0000-7000-8000-0000000000e1';

const count = async (limits: ConflictLimits, userId: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) await limits.count(userId);
};

/** Contract cases for every limit of conflicts. */
export const conflictLimitsContract: readonly ContractCase[] = [
  contractCase('allow a user a hundred conflicts and no more, and limit no other user', async ({ conflictLimits }) => {
    const raced = await outcomesOf(Array.from({ length: 120 }, () => conflictLimits.count(ADA_ID)));
    expectEqual([raced.values.length, raced.refused.length], [CONFLICT_LIMITS.ofUser, 20]);
    const { retryAfter } = await expectRefusal('rate_limited', conflictLimits.count(ADA_ID));
    const isWithinWindow = Number(retryAfter) > 0 && Number(retryAfter) <= CONFLICT_LIMITS.windowSeconds;
    expectEqual(isWithinWindow, true, `that ${retryAfter} seconds are within the window`);
    await count(conflictLimits, EVE_ID, 2);
  }),

  contractCase('count a conflict for 15 minutes', async ({ clock, conflictLimits }) => {
    await count(conflictLimits, ADA_ID, 100);
    clock.advance(15 * 60 - 2);
    await expectRefusal('rate_limited', conflictLimits.count(ADA_ID));
    clock.advance(4);
    await conflictLimits.count(ADA_ID);
  }),
];
