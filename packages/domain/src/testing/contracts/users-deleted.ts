import { OPERATOR } from '../../model/user.ts';
import type { LockedUser } from '../../ports/user-change.ts';
import { aLeader, aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import { aSession } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { expectEntry } from './expect-entry.ts';
import { allow, refuse } from './permissions.ts';

/** Contract cases for deleting a user. */
export const usersDeleted: readonly ContractCase[] = [
  contractCase('removes a deleted user, and makes the names available', async (world) => {
    const ada = await storeUser(world, aUser().with({ username: 'ada', email: 'ada@example.org' }), hashNamed('one'));
    await world.users.delete(OPERATOR, ada.id, allow);
    expectEqual(await world.users.find(ada.id), null);
    expectEqual(await world.credentials.find(ada.id), null);
    expectEqual(await world.credentials.findByUsername('ada'), null);
    const next = await storeUser(world, aUser().with({ username: 'Ada', email: 'Ada@example.org' }));
    expectEqual(await world.users.find(next.id), next);
  }),

  contractCase('passes the stored user to the deletion', async (world) => {
    const leader = await storeUser(world, aLeader(), hashNamed('one'));
    const seen: LockedUser[] = [];
    await world.users.delete(OPERATOR, leader.id, (locked) => seen.push(locked));
    const lastLeader = { isLastLeader: true, leadsOthersAlone: false };
    expectEqual(seen.at(-1), { actor: null, user: leader, passwordHash: hashNamed('one'), ...lastLeader });
  }),

  contractCase('passes their own rights to users who delete themselves', async (world) => {
    const leader = await storeUser(world, aLeader());
    const author = { userId: leader.id, name: leader.username, requestId: null };
    const seen: unknown[] = [];
    await world.users.delete(author, leader.id, ({ actor }) => seen.push(actor?.id));
    expectEqual(seen.at(-1), leader.id);
  }),

  contractCase('deletes nothing when the deletion is refused', async (world) => {
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    const session = await aSession(world, ada, hashNamed('one'));
    await expectRefusal('forbidden', world.users.delete(OPERATOR, ada.id, refuse));
    expectEqual(await world.users.find(ada.id), ada);
    expectEqual((await world.actors.find(ada.id, session.id))?.id, ada.id);
    expectEqual((await world.audit.list({ userIds: [ada.id], limit: 10 })).length, 1, 'the number of entries');
  }),

  contractCase('rejects deleting an unknown user, and deleting a second time', async (world) => {
    const ada = await storeUser(world, aUser());
    await expectRefusal('not_found', world.users.delete(OPERATOR, world.ids.next(), allow));
    await world.users.delete(OPERATOR, ada.id, allow);
    await expectRefusal('not_found', world.users.delete(OPERATOR, ada.id, allow));
  }),

  contractCase('deletes a user once for concurrent requests', async (world) => {
    const ada = await storeUser(world, aUser());
    const raced = await outcomesOf([1, 2, 3].map(() => world.users.delete(OPERATOR, ada.id, allow)));
    expectEqual(raced.refused, ['not_found', 'not_found']);
    expectEqual((await world.audit.list({ userIds: [ada.id], limit: 10 })).length, 2, 'the number of entries');
  }),

  contractCase('records a deletion with all values', async (world) => {
    const ada = await storeUser(world, aUser().with({ firstName: 'Ada' }), hashNamed('one'));
    world.clock.advance(60);
    await world.users.delete(OPERATOR, ada.id, allow);
    const [entry] = await world.audit.list({ userIds: [ada.id], limit: 10 });
    const changes = {
      username: { old: ada.username, new: null },
      firstName: { old: 'Ada', new: null },
      lastName: { old: '', new: null },
      groups: { old: ['User'], new: null },
      isActive: { old: true, new: null },
      isStaff: { old: false, new: null },
      isSuperuser: { old: false, new: null },
    };
    expectEntry(entry, {
      author: OPERATOR,
      at: world.clock.now(),
      action: 'deleteUser',
      targetType: 'user',
      targetId: ada.id,
      divisionId: ada.division.id,
      changes,
    });
  }),
];
