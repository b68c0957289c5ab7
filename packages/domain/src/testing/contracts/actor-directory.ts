import { actorOf, type User } from '../../model/user.ts';
import { changeUser } from '../builders/store.ts';
import { aVisitor, deactivateOnly } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** Contract cases for every actor directory. The contract of the session repository covers ended sessions. */
export const actorDirectoryContract: readonly ContractCase[] = [
  contractCase('returns the rights as they are now', async (world) => {
    const { user, id: sessionId } = await aVisitor(world, {
      groups: ['Leader', 'User'],
      isStaff: true,
      isSuperuser: true,
    });
    expectEqual(await world.actors.find(user.id, sessionId), actorOf(user));
    const change = (values: Partial<User>) => changeUser(world, user.id, values);
    await change({ groups: [], isStaff: false, username: 'renamed' });
    const actor = await world.actors.find(user.id, sessionId);
    expectEqual([actor?.groups, actor?.isStaff, actor?.username], [[], false, 'renamed']);
    await change({ groups: ['Leader', 'Guest'] });
    expectEqual((await world.actors.find(user.id, sessionId))?.groups, ['Leader', 'Guest']);
    // Also an inactive user whose session has not ended.
    await deactivateOnly(world, user);
    expectEqual(await world.actors.find(user.id, sessionId), null);
    await change({ isActive: true });
    expectEqual((await world.actors.find(user.id, sessionId))?.isActive, true);
  }),

  contractCase('returns null for a session of another user and for unknown ids', async (world) => {
    const [ada, eve] = [await aVisitor(world), await aVisitor(world)];
    expectEqual(await world.actors.find(ada.user.id, eve.id), null);
    expectEqual(await world.actors.find(ada.user.id, world.ids.next()), null);
    expectEqual(await world.actors.find(world.ids.next(), ada.id), null);
  }),

  contractCase('returns null for an ended session whose user is looked up at the same time', async (world) => {
    const { user, id: sessionId } = await aVisitor(world);
    await world.sessions.endOne(sessionId, user.id);
    const found = await Promise.all([world.actors.find(user.id, sessionId), world.users.find(user.id)]);
    const ids = found.map((each) => each?.id ?? null);
    expectEqual(ids, [null, user.id]);
  }),

  contractCase('returns each of many concurrent callers their own rights', async (world) => {
    const visitors = [await aVisitor(world), await aVisitor(world, { groups: ['Guest'] }), await aVisitor(world)];
    const searches = visitors.map(({ user, id }) => world.actors.find(user.id, id));
    const found = await Promise.all([...searches, world.actors.find(world.ids.next(), world.ids.next())]);
    const ids = found.map((actor) => actor?.id);
    expectEqual(ids, [...visitors.map(({ user }) => user.id), undefined]);
  }),
];
