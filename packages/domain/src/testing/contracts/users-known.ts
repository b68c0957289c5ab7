import { userDifferences } from '../../fields/user-checks.ts';
import { userAudit } from '../../model/audit-entry.ts';
import { forbidden } from '../../model/errors.ts';
import { type Actor, actorOf, type User } from '../../model/user.ts';
import type { DecideUserWrite, LockedUser } from '../../writes/user-writes.ts';
import { aGuest, aLeader, aUser } from '../builders/builders.ts';
import { changeDivision, changeUser, decideChange, deleteUser, moveUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aVisitor, isAlive } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectDifferent, expectEntry, expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { by, entriesOf, expectNoneAfterDemotion } from './fixtures.ts';

/** Changes a user for an author who has read both before. */
const changeKnown = ({ users }: World, author: User, user: User, decide: DecideUserWrite) =>
  users.write(by(author), { id: user.id, known: { actor: actorOf(author), user } }, decide);

const values = { firstName: 'Łada', lastName: 'King', birthdate: '1915-12-10' };

/** Decides a change by a Leader or by the users themselves. */
const byLeader =
  (changes: Partial<User> = values): DecideUserWrite =>
  (locked) => {
    const { actor, user } = locked;
    const isLeader = actor?.isActive && actor.groups.includes('Leader') && actor.divisionId === user.division.id;
    if (!isLeader && actor?.id !== user.id) throw forbidden('only a Leader may do this');
    return decideChange(locked, { values: changes });
  };

const append = (locked: LockedUser) => decideChange(locked, { values: { firstName: `${locked.user.firstName}x` } });

/** Stores a Leader with a member. */
const aTeam = async (world: World) => {
  const ada = await storeUser(world, aLeader());
  return { ada, member: await storeUser(world, aUser().of(ada.division)) };
};

/** Contract cases for writes of users that the request has read before. */
export const usersKnown: readonly ContractCase[] = [
  contractCase('stores a change of a known user with its audit entry', async (world) => {
    const { ada, member } = await aTeam(world);
    for (const user of [member, ada]) {
      world.clock.advance(60);
      const changed = await changeKnown(world, ada, user, byLeader());
      expectEqual({ ...changed, revision: '' }, { ...user, ...values, revision: '' });
      expectDifferent(changed.revision, user.revision, 'the revision');
      expectEqual(await world.users.find(user.id), changed);
      expectEqual((await changeKnown(world, ada, changed, byLeader())).revision, changed.revision, 'the revision');
      const listed = await world.audit.list({ userIds: [user.id], action: 'updateUser', limit: 9 });
      const entries = listed.filter(({ targetId }) => targetId === user.id);
      const audit = userAudit('updateUser', changed, userDifferences(user, changed));
      expectEntry(entries[0], { author: by(ada), at: world.clock.now(), ...audit });
      expectEqual(entries.length, 1, 'the number of entries');
    }
  }),

  contractCase('decides on the stored user if the known one has changed', async (world) => {
    const { ada, member } = await aTeam(world);
    await changeUser(world, member.id, { firstName: 'y' });
    const present = await changeKnown(world, ada, member, append);
    expectEqual(present.firstName, 'yx');
    // The name of this other division has the version that is known.
    await storeUser(world, aUser());
    await changeDivision(world, member.division.id, { name: 'another' });
    expectEqual((await changeKnown(world, ada, present, append)).division.name, 'another');
    await deleteUser(world, member.id);
    await expectRefusal('not_found', changeKnown(world, ada, member, append));
  }),

  contractCase('decides on the stored rights if those of the known author have changed', async (world) => {
    const north = (await aTeam(world)).ada.division;
    const member = await storeUser(world, aUser().of(north));
    const lost: readonly Partial<User>[] = [{ groups: ['Guest'] }, { isActive: false }];
    for (const change of lost) {
      const eve = await storeUser(world, aLeader().of(north));
      await changeUser(world, eve.id, change);
      await expectRefusal('forbidden', changeKnown(world, eve, member, byLeader()));
      await expectRefusal('forbidden', changeKnown(world, eve, member, byLeader({})));
    }
    const moved = await storeUser(world, aLeader().of(north));
    await moveUser(world, moved.id, (await aTeam(world)).ada.division.id);
    await expectRefusal('forbidden', changeKnown(world, moved, member, byLeader()));
    const gone = await storeUser(world, aLeader().of(north));
    await deleteUser(world, gone.id);
    await expectRefusal('forbidden', changeKnown(world, gone, member, byLeader()));
    const actors: (Actor | null)[] = [];
    for (const change of [{ isStaff: true }, { isSuperuser: true }, { username: 'eve' }] as const) {
      const eve = await storeUser(world, aLeader().of(north));
      const stored = await changeUser(world, eve.id, change);
      await changeKnown(world, eve, await storeUser(world, aUser().of(north)), (locked) => {
        actors.push(locked.actor);
        return byLeader()(locked);
      });
      expectEqual(actors.at(-1), actorOf(stored), 'the author');
    }
    expectEqual(await world.users.find(member.id), member);
    const promoted = await storeUser(world, aUser().of(north));
    await changeUser(world, promoted.id, { groups: ['Leader'] });
    expectEqual((await changeKnown(world, promoted, member, byLeader())).firstName, values.firstName);
  }),

  contractCase('does all that follows from a change of a known user', async (world) => {
    const { user, id } = await aVisitor(world);
    const ada = await storeUser(world, aLeader().of(user.division));
    await expectRefusal('last_leader', changeKnown(world, ada, ada, byLeader({ groups: ['User'] })));
    await expectRefusal('username_taken', changeKnown(world, ada, user, byLeader({ username: ada.username })));
    expectEqual((await changeKnown(world, ada, user, byLeader({ groups: ['Guest'] }))).groups, ['Guest']);
    expectEqual(await isAlive(world, user, id), true);
    const present = (await world.users.find(user.id)) ?? user;
    await changeKnown(world, ada, present, byLeader({ isActive: false, firstName: 'Ada' }));
    expectEqual(await world.sessions.list(user.id), []);
    const inactive = await storeUser(world, aGuest().of(user.division).inactive());
    expectEqual((await changeKnown(world, ada, inactive, byLeader())).lastName, 'King');
  }),

  contractCase('loses none of several concurrent changes of a known user', async (world) => {
    const { ada, member } = await aTeam(world);
    await Promise.all(Array.from({ length: 10 }, (_, at) => changeKnown(world, at % 2 ? ada : member, member, append)));
    expectEqual((await world.users.find(member.id))?.firstName, `${member.firstName}${'x'.repeat(10)}`);
    expectEqual((await entriesOf(world, member)).length, 11, 'the number of entries');
  }),

  contractCase('allows no change of a known user after a concurrent demotion of its author', async (world) => {
    const { ada } = await aTeam(world);
    const eve = await storeUser(world, aLeader().of(ada.division));
    const members = [];
    for (let at = 0; at < 6; at++) members.push(await storeUser(world, aUser().of(ada.division)));
    const change = (user: User) => changeKnown(world, eve, user, byLeader());
    const demotion = world.users.write(by(ada), { id: eve.id }, byLeader({ groups: ['User'] }));
    const raced = await outcomesOf([...members.slice(3).map(change), demotion, ...members.slice(0, 3).map(change)]);
    await expectNoneAfterDemotion(world, eve, raced);
  }),
];
