import { OPERATOR, type UserId } from '../../model/user.ts';
import type { LockedUser } from '../../writes/user-writes.ts';
import { aGuest, aLeader, aUser } from '../builders/builders.ts';
import { changeUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** Returns the flags about the last Leader that a write gets. Changes nothing. */
const leaderFlagsOf = async ({ users }: World, id: UserId) => {
  const flags: Pick<LockedUser, 'isLastLeader' | 'leadsOthersAlone'>[] = [];
  await users.write(OPERATOR, { id }, ({ isLastLeader, leadsOthersAlone }) => {
    flags.push({ isLastLeader, leadsOthersAlone });
    return 'unchanged';
  });
  return flags.at(-1);
};

const NO_LAST_LEADER = { isLastLeader: false, leadsOthersAlone: false };

/** Contract cases about the last active Leader of a division. */
export const lastLeaders: readonly ContractCase[] = [
  contractCase('tells a command whether the user is the last active Leader of the division', async (world) => {
    const user = await storeUser(world, aUser());
    const add = (person: ReturnType<typeof aUser>) => storeUser(world, person.of(user.division));
    await add(aGuest());
    await add(aLeader().inactive());
    expectEqual(await leaderFlagsOf(world, user.id), NO_LAST_LEADER, 'in a division without Leaders');
    const ada = await add(aLeader());
    await storeUser(world, aLeader());
    expectEqual((await leaderFlagsOf(world, ada.id))?.isLastLeader, true);
    expectEqual(await leaderFlagsOf(world, user.id), NO_LAST_LEADER);
    const eve = await add(aLeader().with({ groups: ['Leader', 'User'] }));
    expectEqual(
      [await leaderFlagsOf(world, ada.id), await leaderFlagsOf(world, eve.id)],
      [NO_LAST_LEADER, NO_LAST_LEADER],
    );
    await changeUser(world, eve.id, { isActive: false });
    expectEqual(
      [(await leaderFlagsOf(world, ada.id))?.isLastLeader, await leaderFlagsOf(world, eve.id)],
      [true, NO_LAST_LEADER],
    );
  }),

  contractCase('tells a command whether the last Leader leads other members', async (world) => {
    const ada = await storeUser(world, aLeader());
    await storeUser(world, aUser());
    expectEqual(
      await leaderFlagsOf(world, ada.id),
      { isLastLeader: true, leadsOthersAlone: false },
      'alone in the division',
    );
    await storeUser(world, aUser().of(ada.division).inactive());
    expectEqual(
      await leaderFlagsOf(world, ada.id),
      { isLastLeader: true, leadsOthersAlone: true },
      'with an inactive member',
    );
    await storeUser(world, aLeader().of(ada.division));
    expectEqual(await leaderFlagsOf(world, ada.id), NO_LAST_LEADER, 'with another Leader');
  }),
];
