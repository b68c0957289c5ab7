import { OPERATOR, type User } from '../../model/user.ts';
import { aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aSession } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEqual } from './expect.ts';

const visitorHash = hashNamed('one');

const aVisitor = async (world: World, values: Partial<User> = {}) => {
  const user = await storeUser(world, aUser().with(values), visitorHash);
  return { user, session: await aSession(world, user, visitorHash) };
};

/** Contract cases for every actor directory. The contract of the session repository covers ended sessions. */
export const actorDirectoryContract: readonly ContractCase[] = [
  contractCase('returns the rights of a user with a session', async (world) => {
    const { user, session } = await aVisitor(world, { groups: ['Leader', 'User'], isStaff: true, isSuperuser: true });
    const { id, username } = user;
    const rights = { groups: ['Leader', 'User'], isActive: true, isStaff: true, isSuperuser: true };
    expectEqual(await world.actors.find(id, session.id), { id, username, divisionId: user.division.id, ...rights });
  }),

  contractCase('returns the rights as they are now', async (world) => {
    const { user, session } = await aVisitor(world, { isStaff: true });
    const change = (values: Partial<User>) =>
      world.users.update(OPERATOR, user.id, (locked) => ({ user: { ...locked.user, ...values }, endsSessions: false }));
    await change({ groups: [], isStaff: false, username: 'renamed' });
    const actor = await world.actors.find(user.id, session.id);
    expectEqual([actor?.groups, actor?.isStaff, actor?.username], [[], false, 'renamed']);
    await change({ groups: ['Leader', 'Guest'] });
    expectEqual((await world.actors.find(user.id, session.id))?.groups, ['Leader', 'Guest']);
    await change({ isActive: false });
    expectEqual(await world.actors.find(user.id, session.id), null);
    await change({ isActive: true });
    expectEqual((await world.actors.find(user.id, session.id))?.isActive, true);
  }),

  contractCase('returns null for a session of another user and for unknown ids', async (world) => {
    const [ada, eve] = [await aVisitor(world), await aVisitor(world)];
    expectEqual(await world.actors.find(ada.user.id, eve.session.id), null);
    expectEqual(await world.actors.find(ada.user.id, world.ids.next()), null);
    expectEqual(await world.actors.find(world.ids.next(), ada.session.id), null);
  }),

  contractCase('returns null for a deleted user', async (world) => {
    const { user, session } = await aVisitor(world);
    await world.users.delete(OPERATOR, user.id, () => {});
    expectEqual(await world.actors.find(user.id, session.id), null);
  }),

  contractCase('returns each of many concurrent callers their own rights', async (world) => {
    const visitors = [await aVisitor(world), await aVisitor(world, { groups: ['Guest'] }), await aVisitor(world)];
    const searches = visitors.flatMap(({ user, session }) => [world.actors.find(user.id, session.id)]);
    const unknown = world.actors.find(world.ids.next(), world.ids.next());
    const found = await Promise.all(searches);
    expectEqual(
      found.map((actor) => actor?.id),
      visitors.map(({ user }) => user.id),
    );
    expectEqual(await unknown, null);
  }),
];
