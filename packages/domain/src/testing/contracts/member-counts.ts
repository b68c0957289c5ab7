import { MS_PER_DAY } from '../../model/dates.ts';
import type { User } from '../../model/user.ts';
import type { CountQuery } from '../../ports/user-directory.ts';
import { aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aVisitor, rotate } from './a-session.ts';
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

/** Contract cases for the counts of every user directory. */
export const memberCountContract: readonly ContractCase[] = [
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
];
