import { userDifferences } from '../../fields/user-fields.ts';
import { userAudit } from '../../model/audit-entry.ts';
import { forbidden } from '../../model/errors.ts';
import { type Actor, actorOf, type User, type UserId } from '../../model/user.ts';
import type { DecideUserWrite, LockedUser } from '../../writes/user-writes.ts';
import { aLeader, aUser } from '../builders/builders.ts';
import { changeDivision, changeUser, decideChange, deleteUser, moveUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aVisitor } from './a-session.ts';
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
    const { ada, member } = await aTeam(world);
    const flags = [{ isActive: false }, { isStaff: true }, { isSuperuser: true }];
    const changes: readonly Partial<User>[] = [{ groups: ['Guest'] }, { username: 'renamed' }, ...flags];
    for (const change of [
      ...changes.map((change) => (id: UserId) => changeUser(world, id, change)),
      (id: UserId) => moveUser(world, id, ada.division.id),
      (id: UserId) => deleteUser(world, id),
    ]) {
      const { ada: author, member: user } = await aTeam(world);
      await change(author.id);
      const actors: (Actor | null)[] = [];
      await changeKnown(world, author, user, (locked) => {
        actors.push(locked.actor);
        return append(locked);
      });
      const stored = await world.users.find(author.id);
      expectEqual(actors.at(-1), stored && actorOf(stored), 'the author');
    }
    const demoted = await changeUser(world, ada.id, { groups: ['User'] });
    await expectRefusal('forbidden', changeKnown(world, ada, member, byLeader({})));
    await changeUser(world, ada.id, { groups: ['Leader'] });
    expectEqual((await changeKnown(world, demoted, member, byLeader())).firstName, values.firstName);
  }),

  contractCase('does all that follows from a change of a known user', async (world) => {
    const { user } = await aVisitor(world);
    const ada = await storeUser(world, aLeader().of(user.division));
    await expectRefusal('last_leader', changeKnown(world, ada, ada, byLeader({ groups: ['User'] })));
    await expectRefusal('username_taken', changeKnown(world, ada, user, byLeader({ username: ada.username })));
    await changeKnown(world, ada, user, byLeader({ isActive: false, firstName: 'Ada' }));
    expectEqual(await world.sessions.list(user.id), []);
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
