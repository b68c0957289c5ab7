import { forbidden } from '../../model/errors.ts';
import { OPERATOR, type User, type UserId } from '../../model/user.ts';
import { type DecideUserWrite, decideDeletion, decideMove, type LockedUser } from '../../writes/user-writes.ts';
import { aDivision, aGuest, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, changeUser, decideChange, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, outcomesOf } from './expect.ts';
import { allow, by, entriesOf, expectNoneAfterDemotion, lockedBy } from './fixtures.ts';

/** Returns the flags about the last Leader that a write gets. */
const leaderFlagsOf = async (world: World, id: UserId) => {
  const { isLastLeader, leadsOthersAlone } = await lockedBy(world, { id });
  return { isLastLeader, leadsOthersAlone };
};

const NO_LAST_LEADER = { isLastLeader: false, leadsOthersAlone: false };
const LAST_LEADER = { isLastLeader: true, leadsOthersAlone: true };

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
    expectEqual(await leaderFlagsOf(world, ada.id), LAST_LEADER);
    expectEqual(await leaderFlagsOf(world, user.id), NO_LAST_LEADER);
    const eve = await add(aLeader().with({ groups: ['Leader', 'User'] }));
    for (const { id } of [ada, eve]) expectEqual(await leaderFlagsOf(world, id), NO_LAST_LEADER, 'of two Leaders');
    await changeUser(world, eve.id, { isActive: false });
    expectEqual(await leaderFlagsOf(world, ada.id), LAST_LEADER);
    expectEqual(await leaderFlagsOf(world, eve.id), NO_LAST_LEADER);
  }),

  contractCase('tells a command whether the last Leader leads other members', async (world) => {
    const ada = await storeUser(world, aLeader());
    await storeUser(world, aUser());
    const alone = { ...LAST_LEADER, leadsOthersAlone: false };
    expectEqual(await leaderFlagsOf(world, ada.id), alone, 'alone in the division');
    await storeUser(world, aUser().of(ada.division).inactive());
    expectEqual(await leaderFlagsOf(world, ada.id), LAST_LEADER, 'with an inactive member');
    await storeUser(world, aLeader().of(ada.division));
    expectEqual(await leaderFlagsOf(world, ada.id), NO_LAST_LEADER, 'with another Leader');
  }),
];

const append = (locked: LockedUser) => decideChange(locked, { values: { firstName: `${locked.user.firstName}x` } });
const demote = (locked: LockedUser) => decideChange(locked, { values: { groups: ['User'] } });
const remove = (locked: LockedUser) => decideDeletion(OPERATOR, locked);
const leave = (locked: LockedUser) => decideMove(OPERATOR, locked, { values: {} });

const requireLeader = ({ actor }: Pick<LockedUser, 'actor'>): void => {
  if (!actor?.isActive || !actor.groups.includes('Leader')) throw forbidden('only a Leader may do this');
};

/** Stores two Leaders of one division with another member. */
const twoLeaders = async (world: World) => {
  const ada = await storeUser(world, aLeader());
  await storeUser(world, aUser().of(ada.division));
  const eve = await storeUser(world, aLeader().of(ada.division));
  return { ada, eve };
};

/** Returns how many of these users lead the division in which they were. */
const leadersOf = async ({ users }: World, people: readonly User[]) => {
  const found = await Promise.all(people.map(({ id }) => users.find(id)));
  const isIn = (user: User, at: number) => user.division.id === people[at]?.division.id;
  return found.filter((user, at) => user?.isActive && user.groups.includes('Leader') && isIn(user, at)).length;
};

/** Contract cases for concurrent commands on users. */
export const usersRaced: readonly ContractCase[] = [
  contractCase('loses none of several concurrent changes', async (world) => {
    const ada = await storeUser(world, aUser());
    await Promise.all(Array.from({ length: 20 }, () => world.users.write(OPERATOR, { id: ada.id }, append)));
    expectEqual((await world.users.find(ada.id))?.firstName, 'x'.repeat(20));
    expectEqual((await entriesOf(world, ada)).length, 21, 'the number of entries');
  }),

  contractCase('gives a name to one of a creation and two changes that run concurrently', async (world) => {
    const [ada, eve] = [await storeUser(world, aUser()), await storeUser(world, aUser())];
    const raced = await outcomesOf<unknown>([
      changeUser(world, ada.id, { username: 'new' }),
      world.users.create(OPERATOR, asNewUser(aUser().of(ada.division).with({ username: 'New' })), allow),
      changeUser(world, eve.id, { username: 'NEW' }),
    ]);
    expectEqual([raced.values.length, raced.refused], [1, ['username_taken', 'username_taken']]);
  }),

  contractCase('keeps one Leader when the last two are demoted, deleted or moved concurrently', async (world) => {
    const south = await storeDivision(world, aDivision());
    for (const [first, second, move] of [
      [demote, demote, {}],
      [remove, remove, {}],
      [demote, remove, {}],
      [leave, leave, { divisionId: south.id }],
    ] as const) {
      const { ada, eve } = await twoLeaders(world);
      const write = ({ id }: User, decide: DecideUserWrite) => world.users.write(OPERATOR, { id, ...move }, decide);
      expectEqual((await outcomesOf([write(ada, first), write(eve, second)])).refused, ['last_leader']);
      expectEqual(await leadersOf(world, [ada, eve]), 1, 'the number of Leaders');
    }
  }),

  contractCase('lets one of two Leaders demote the other when both try concurrently', async (world) => {
    const { ada, eve } = await twoLeaders(world);
    const demoteBy = (leader: User, { id }: User) =>
      world.users.write(by(leader), { id }, (locked) => {
        requireLeader(locked);
        return demote(locked);
      });
    const raced = await outcomesOf([demoteBy(ada, eve), demoteBy(eve, ada)]);
    expectEqual([raced.values.length, raced.refused], [1, ['forbidden']]);
    expectEqual(await leadersOf(world, [ada, eve]), 1, 'the number of Leaders');
  }),

  contractCase('avoids deadlocks between users who change each other repeatedly', async (world) => {
    const { ada, eve } = await twoLeaders(world);
    const touch = (author: User, target: User, round: number) =>
      changeUser(world, target.id, { firstName: `${author.username} ${round}` }, { author: by(author) });
    for (let round = 0; round < 10; round++) {
      await Promise.all([touch(ada, eve, round), touch(eve, ada, round), touch(ada, ada, round + 0.5)]);
    }
    // A creation, ten changes each as target and as author, and Ada's ten changes of herself.
    expectEqual((await entriesOf(world, ada)).length, 31, 'the number of entries');
    expectEqual((await entriesOf(world, eve)).length, 21, 'the number of entries');
  }),

  contractCase('allows no creation after a concurrent demotion of its author', async (world) => {
    const { ada, eve } = await twoLeaders(world);
    const people = Array.from({ length: 8 }, () => aUser().of(ada.division));
    const creations = people.map((person) =>
      world.users.create(by(eve), asNewUser(person), (actor) => requireLeader({ actor })),
    );
    const demotion = world.users.write(by(ada), { id: eve.id }, demote);
    await expectNoneAfterDemotion(world, eve, await outcomesOf<unknown>([...creations, demotion]));
  }),
];
