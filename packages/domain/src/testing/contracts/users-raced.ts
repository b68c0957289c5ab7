import { forbidden } from '../../model/errors.ts';
import { OPERATOR, type User, type UserId } from '../../model/user.ts';
import { decideDeletion, type LockedUser } from '../../writes/user-writes.ts';
import { aGuest, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, changeUser, decideChange, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, outcomesOf } from './expect.ts';
import { by, entriesOf } from './fixtures.ts';

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

const leadersOf = async ({ users }: World, people: readonly { readonly id: string }[]) => {
  const found = await Promise.all(people.map(({ id }) => users.find(id)));
  return found.filter((user) => user?.isActive && user.groups.includes('Leader')).length;
};

/** Contract cases for concurrent commands on users. */
export const usersRaced: readonly ContractCase[] = [
  contractCase('loses none of several concurrent changes', async (world) => {
    const ada = await storeUser(world, aUser());
    await Promise.all(Array.from({ length: 20 }, () => world.users.write(OPERATOR, { id: ada.id }, append)));
    expectEqual((await world.users.find(ada.id))?.firstName, 'x'.repeat(20));
    expectEqual((await entriesOf(world, ada)).length, 21, 'the number of entries');
  }),

  contractCase('keeps concurrent changes of different fields', async (world) => {
    const ada = await storeUser(world, aUser());
    const names = { email: 'ada@example.org', firstName: 'Ada', lastName: 'L' };
    const values = { ...names, birthdate: '1980-01-01', isStaff: true };
    await Promise.all(Object.entries(values).map(([field, value]) => changeUser(world, ada.id, { [field]: value })));
    const changed = await world.users.find(ada.id);
    expectEqual({ ...changed, ...values }, changed);
  }),

  contractCase('gives a name to one of several users who change theirs concurrently', async (world) => {
    const rivals = [await storeUser(world, aUser()), await storeUser(world, aUser()), await storeUser(world, aUser())];
    const changes = rivals.map(({ id }, at) =>
      changeUser(world, id, { email: `E${'ve'.repeat(at)}@x.org`, username: at % 2 ? 'Eve' : 'eVE' }),
    );
    const raced = await outcomesOf(changes);
    expectEqual([raced.values.length, raced.refused], [1, ['username_taken', 'username_taken']]);
  }),

  contractCase('gives a name to either a creation or a change that run concurrently', async (world) => {
    const ada = await storeUser(world, aUser());
    const eve = asNewUser(aUser().of(ada.division).with({ email: 'e@example.org' }));
    const raced = await outcomesOf<unknown>([
      world.users.create(OPERATOR, eve, () => {}),
      changeUser(world, ada.id, { email: 'E@example.org' }),
    ]);
    expectEqual([raced.values.length, raced.refused], [1, ['email_taken']]);
  }),

  contractCase('keeps one Leader when the last two are demoted or deleted concurrently', async (world) => {
    for (const [first, second] of [
      [demote, demote],
      [remove, remove],
      [demote, remove],
    ] as const) {
      const { ada, eve } = await twoLeaders(world);
      const writes = [world.users.write(OPERATOR, ada, first), world.users.write(OPERATOR, eve, second)];
      expectEqual((await outcomesOf(writes)).refused, ['last_leader']);
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
    const raced = await outcomesOf<unknown>([...creations, demotion]);
    const stored = (await Promise.all(people.map(({ id }) => world.users.find(id)))).filter((user) => user !== null);
    expectEqual(raced.values.length, stored.length + 1, 'the number of creations that succeeded');
    expectEqual(raced.refused.length, 8 - stored.length, 'the number of creations that were refused');
    for (const code of raced.refused) expectEqual(code, 'forbidden');
    // The audit trail is written in the order in which the transactions ran.
    const entries = (await world.audit.list({ divisionId: ada.division.id, limit: 50 })).toReversed();
    const demoted = entries.findIndex(({ action }) => action === 'updateUser');
    const late = entries.slice(demoted + 1).filter(({ authorId }) => authorId === eve.id);
    expectEqual(late.length, 0, 'the number of creations after the demotion');
  }),
];
