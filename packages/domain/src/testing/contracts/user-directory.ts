import { MS_PER_DAY } from '../../model/dates.ts';
import { OPERATOR, type User } from '../../model/user.ts';
import type { CountQuery, UserSelection } from '../../ports/user-directory.ts';
import { aDivision, aUser } from '../builders/builders.ts';
import { deleteUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aSession, aVisitor, deactivateOnly, rotate, visitorHash } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** Returns the counts as one line for each combination of values. */
const counted = async ({ directory }: World, divisionId: string, query: CountQuery): Promise<readonly string[]> => {
  const counts = await directory.count(divisionId, query);
  const lines = Map.groupBy(counts, ({ groups, isActive, isDormant, joinedIn }) =>
    [groups.join(','), isActive ? 'active' : 'inactive', isDormant ? 'dormant' : '', joinedIn]
      .filter((part) => part !== '')
      .map(String)
      .join(' '),
  );
  return [...lines]
    .map(([line, same]) => `${same.reduce((total, { members }) => total + members, 0)} ${line}`)
    .toSorted();
};

const dormantIn = (lines: readonly string[]) => lines.filter((line) => line.includes(' dormant'));

const SECONDS_PER_DAY = 24 * 60 * 60;

const namesOf = async ({ directory }: World, selection: UserSelection = {}) => {
  const names: string[] = [];
  await directory.read(selection, async (batch) => void names.push(...batch.map(({ user }) => user.username)));
  return names;
};

const today = ({ clock }: World) => clock.now().slice(0, 10);

const lastActiveOn = async ({ directory }: World, { id }: User) => (await directory.find(id))?.lastActiveOn;

const storeNamed = (world: World, username: string, values: Partial<User> = {}) =>
  storeUser(world, aUser().with({ username, dateJoined: world.clock.now(), ...values }));

/** Contract cases for every user directory, including the days of logins and refreshes. */
export const userDirectoryContract: readonly ContractCase[] = [
  contractCase('returns null for an unknown user', async ({ directory, ids }) => {
    expectEqual([await directory.find(ids.next()), await directory.find('no id')], [null, null]);
  }),

  contractCase('notes the day of a login and a refresh, and changes no user and no audit trail', async (world) => {
    const [{ digest, user }, other] = [await aVisitor(world), await aVisitor(world)];
    const day = today(world);
    expectEqual(await world.directory.find(user.id), { user, lastActiveOn: day });
    world.clock.advance(3 * SECONDS_PER_DAY);
    await rotate(world, other.digest);
    expectEqual(await lastActiveOn(world, user), day, 'after a refresh by another user');
    const { nextDigest, rotated } = await rotate(world, digest);
    expectEqual([rotated?.user, await world.users.find(user.id)], [user, user]);
    expectEqual(await lastActiveOn(world, user), today(world));
    await rotate(world, nextDigest);
    expectEqual(await lastActiveOn(world, user), today(world), 'after a second refresh on the same day');
    world.clock.advance(SECONDS_PER_DAY);
    await aSession(world, user, visitorHash);
    expectEqual(await lastActiveOn(world, user), today(world), 'after a later login');
    expectEqual((await world.audit.list({ userIds: [user.id], limit: 10 })).length, 1, 'the number of entries');
  }),

  contractCase('notes no day of a refused login or refresh', async (world) => {
    const { digest, user } = await aVisitor(world);
    const day = today(world);
    world.clock.advance(SECONDS_PER_DAY);
    await aSession(world, user, 'another hash');
    await deactivateOnly(world, user);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await lastActiveOn(world, user), day);
  }),

  contractCase('keeps the day when the sessions end, and forgets it with the user', async (world) => {
    const { user } = await aVisitor(world);
    await world.users.endSessions(OPERATOR, user.id, null);
    expectEqual(await lastActiveOn(world, user), today(world));
    await deleteUser(world, user.id);
    const again = await storeUser(world, user, visitorHash);
    expectEqual(await lastActiveOn(world, again), null);
  }),

  contractCase('passes all users of all divisions in batches, ordered by username', async (world) => {
    for (const username of ['dora', 'Ada', 'eve', 'Bob', 'cy']) await storeNamed(world, username);
    const visitor = await aVisitor(world);
    const seen: unknown[] = [];
    const users: User[] = [];
    let open = 0;
    await world.directory.read({}, async (batch) => {
      expectEqual((open += 1), 1, 'the number of batches at once');
      await Promise.resolve();
      for (const { user, lastActiveOn: day } of batch) seen.push([user.username, day]);
      users.push(...batch.map(({ user }) => user));
      open -= 1;
    });
    const others = ['Ada', 'Bob', 'cy', 'dora', 'eve'].map((username) => [username, null]);
    expectEqual(seen, [...others, [visitor.user.username, today(world)]]);
    const [ada] = users;
    expectEqual(ada, await world.users.find(ada?.id ?? ''));
  }),

  contractCase('selects users by words, each in any of the searched fields', async (world) => {
    await storeNamed(world, 'ada', { firstName: 'Ärger', lastName: '100%' });
    await storeNamed(world, 'bob', { email: 'a_b@example.org' });
    await storeNamed(world, 'eve', { lastName: 'axb' });
    expectEqual(await namesOf(world, { words: ['ärg', 'ada'] }), ['ada']);
    expectEqual(await namesOf(world, { words: ['%'] }), ['ada']);
    expectEqual(await namesOf(world, { words: ['a_b'] }), ['bob']);
    expectEqual(await namesOf(world, { words: ['ärg', 'bob'] }), []);
    expectEqual(await namesOf(world, { words: [] }), ['ada', 'bob', 'eve']);
  }),

  contractCase('selects users dormant for some days, those without a login since they joined', async (world) => {
    const active = await aVisitor(world);
    await storeNamed(world, 'old');
    world.clock.advance(10 * SECONDS_PER_DAY);
    await storeNamed(world, 'new');
    const { username } = active.user;
    expectEqual((await namesOf(world, { dormantDays: 10 })).toSorted(), ['old', username].toSorted());
    expectEqual(await namesOf(world, { dormantDays: 11 }), []);
    await rotate(world, active.digest);
    expectEqual(await namesOf(world, { dormantDays: 1 }), ['old']);
    expectEqual((await namesOf(world, { dormantDays: 0 })).length, 3);
  }),

  contractCase('combines the parts of a selection with AND', async (world) => {
    const { division } = await storeNamed(world, 'old-ada');
    await storeNamed(world, 'old-adam');
    await storeNamed(world, 'bob', { division });
    world.clock.advance(5 * SECONDS_PER_DAY);
    await storeNamed(world, 'new-ada', { division });
    expectEqual(await namesOf(world, { divisionId: division.id, words: ['ada'], dormantDays: 5 }), ['old-ada']);
  }),

  contractCase('counts the members of a division by groups, activity, dormancy and month of joining', async (world) => {
    const { division } = await storeUser(
      world,
      aUser().with({ groups: ['Leader', 'User'], dateJoined: '2024-12-31T23:59:59.999Z' }),
    );
    const join = (username: string, dateJoined: string, values: Partial<User> = {}) =>
      storeUser(world, aUser().with({ username, division, dateJoined, ...values }));
    await join('first', '2025-01-01T00:00:00.000Z');
    await join('second', '2025-01-31T23:59:59.999Z', { isActive: false, groups: [] });
    await join('third', '2025-02-01T00:00:00.000Z');
    await storeUser(world, aUser());
    const count = (limit: number | null, dormantOn = '2025-01-31', divisionId = division.id) =>
      counted(world, divisionId, { joinedSince: '2025-01-01', dormantOn, limit });
    const [leader, ...others] = [
      '1 Leader,User active dormant null',
      '1 User active dormant 2025-01',
      '1 inactive dormant 2025-01',
      '1 User active 2025-02',
    ];
    expectEqual(await count(null), [leader, ...others].toSorted());
    expectEqual(await count(4), [leader, ...others].toSorted());
    expectEqual(await count(1), [leader]);
    expectEqual(dormantIn(await count(null, '2025-01-30')).length, 2);
    expectEqual(await count(1, '2025-01-31', world.ids.next()), []);
  }),

  contractCase('counts a member as dormant from the day of the last login or refresh', async (world) => {
    const { digest, user } = await aVisitor(world, { dateJoined: '2025-01-01T00:00:00.000Z' });
    const day = world.clock.now().slice(0, 10);
    const dayBefore = new Date(Date.parse(day) - MS_PER_DAY).toISOString().slice(0, 10);
    await storeUser(world, aUser().of(user.division).with({ dateJoined: '2025-01-01T00:00:00.000Z' }));
    const dormant = async (dormantOn: string) =>
      dormantIn(await counted(world, user.division.id, { joinedSince: day, dormantOn, limit: null }));
    const [both, one] = [['2 User active dormant null'], ['1 User active dormant null']];
    expectEqual([await dormant(day), await dormant(dayBefore)], [both, one]);
    world.clock.advance(MS_PER_DAY / 1000);
    await rotate(world, digest);
    expectEqual(await dormant(day), one, 'after a refresh on the next day');
  }),

  contractCase('returns the users after an id in pages of 100 by id, of one division or of all', async (world) => {
    const [first, second] = [await storeDivision(world, aDivision()), await storeDivision(world, aDivision())];
    const stored: User[] = [];
    const ids = Array.from({ length: 203 }, () => world.ids.next());
    for (const [nth, id] of ids.toReversed().entries()) {
      const user = aUser().of(nth % 3 ? first : second);
      stored.unshift(await storeUser(world, user.with({ id })));
    }
    for (const division of [null, first, second]) {
      const expected = stored.filter((user) => !division || user.division.id === division.id);
      const walked: User[] = [];
      for (let page: readonly User[] | null = null; page === null || page.length > 0; walked.push(...page)) {
        page = await world.directory.page(division?.id ?? null, walked.at(-1)?.id ?? null);
        expectEqual(page.length, Math.min(100, expected.length - walked.length), 'the size of the page');
      }
      expectEqual(walked, expected);
    }
    expectEqual(await world.directory.page(world.ids.next(), null), []);
  }),

  contractCase('stops at an error of the receiver, and rethrows it', async (world) => {
    for (const username of ['ada', 'bob', 'eve']) await storeNamed(world, username);
    const thrown = new Error('enough');
    let batches = 0;
    const reading = world.directory.read({}, () => {
      batches += 1;
      return Promise.reject(thrown);
    });
    expectEqual(await reading.catch((error: unknown) => error === thrown), true, 'that the error is the same');
    expectEqual(batches, 1, 'the number of batches');
  }),
];
