import { userAudit } from '../../model/audit-entry.ts';
import { forbidden } from '../../model/errors.ts';
import { authorOf, OPERATOR, type User } from '../../model/user.ts';
import type { UserWrite } from '../../writes/user-writes.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import {
  changeDivision,
  changeUser,
  decideChange,
  deleteUser,
  moveUser,
  storeDivision,
  storeUser,
} from '../builders/store.ts';
import { aDigest, aSession, aVisitor, isAlive, visitorHash } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectDifferent, expectEntry, expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { entriesOf, lockedBy, refuse } from './fixtures.ts';
import { expectNoData } from './personal-data.ts';
import { aToken, storeToken } from './personal-tokens.ts';

/** Contract cases for writing a user as decided: changes, moves and deletions. */
export const usersWritten: readonly ContractCase[] = [
  contractCase('stores a decided change with its audit entry, and returns the user as stored then', async (world) => {
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    world.clock.advance(60);
    const groups = ['Leader', 'Guest'] as const;
    const values = { username: 'countess', groups, birthdate: '1915-12-10', isStaff: true };
    const author = { ...OPERATOR, requestId: 'request-2' };
    const written: UserWrite[] = [];
    const { revision, ...changed } = await world.users.write(author, { id: ada.id }, (locked) => {
      const write = decideChange(locked, { values, passwordHash: hashNamed('two') });
      if (write !== 'unchanged') written.push(write);
      return write;
    });
    const { revision: before, ...present } = ada;
    expectEqual(changed, { ...present, ...values });
    expectDifferent(revision, before, 'the revision');
    const stored = { user: { ...changed, revision }, passwordHash: hashNamed('two') };
    expectEqual(await world.credentials.find(ada.id), stored);
    const [entry] = await entriesOf(world, ada);
    const { action = 'moveUser', changes = {} } = written.at(-1)?.audit ?? {};
    expectEntry(entry, { author, at: world.clock.now(), ...userAudit(action, ada, changes) });
    expectEqual(Object.keys(entry?.changes ?? {}), Object.keys(changes), 'the order of the changes');
  }),

  contractCase('ends sessions and voids the link only as decided', async (world) => {
    const { user, id } = await aVisitor(world);
    const stranger = await aVisitor(world);
    for (const { user: holder } of [{ user }, stranger]) {
      await world.passwordLinks.create(OPERATOR, { userId: holder.id, digest: aDigest(), lifetime: 60 }, () => {});
    }
    const linkOf = async ({ id: userId }: User) => (await world.personalData.find(userId))?.linkExpiresAt !== null;
    const write = (firstName: string, effects: Partial<UserWrite>) =>
      world.users.write(OPERATOR, { id: user.id }, (locked) => {
        const decided = decideChange(locked, { values: { firstName } });
        return decided === 'unchanged' ? decided : { ...decided, ...effects };
      });
    await write('Ada', {});
    expectEqual([await isAlive(world, user, id), await linkOf(user)], [true, true]);
    await write('Bea', { voidsLink: true });
    expectEqual([await isAlive(world, user, id), await linkOf(user)], [true, false]);
    await write('Eve', { endsSessions: true });
    expectEqual(await isAlive(world, user, id), false);
    expectEqual([await isAlive(world, stranger.user, stranger.id), await linkOf(stranger.user)], [true, true]);
  }),

  contractCase('moves a user, which is listed in the audit trails of both divisions', async (world) => {
    const ada = await storeUser(world, aLeader(), visitorHash);
    const session = await aSession(world, ada, visitorHash);
    const { id, name } = await storeDivision(world, aDivision());
    const moved = await moveUser(world, ada.id, id, { groups: ['User'] });
    expectEqual({ ...moved, revision: '' }, { ...ada, division: { id, name }, groups: ['User'], revision: '' });
    expectDifferent(moved.revision, ada.revision, 'the revision');
    expectEqual(await world.credentials.find(ada.id), { user: moved, passwordHash: visitorHash });
    expectEqual((await world.actors.find(ada.id, session.id))?.divisionId, id);
    for (const divisionId of [ada.division.id, id]) {
      const [entry] = await world.audit.list({ divisionId, limit: 1 });
      expectEqual([entry?.action, entry?.divisionId], ['moveUser', id]);
    }
  }),

  contractCase('deletes a user with sessions, link and tokens, and makes the names available', async (world) => {
    const ada = await storeUser(world, aUser().with({ username: 'ada', email: 'ada@example.org' }), visitorHash);
    await aSession(world, ada, visitorHash);
    await world.passwordLinks.create(OPERATOR, { userId: ada.id, digest: aDigest(), lifetime: 60 }, () => {});
    await storeToken(world, aToken(world, ada));
    expectEqual(await deleteUser(world, ada.id), ada);
    expectEqual(await world.credentials.find(ada.id), null);
    await expectNoData(world, ada);
    expectEqual((await entriesOf(world, ada))[0]?.action, 'deleteUser');
    const next = await storeUser(world, aUser().with({ username: 'Ada', email: 'Ada@example.org' }));
    expectEqual(await world.users.find(next.id), next);
  }),

  contractCase('passes the stored user, hash and division, and the author as stored now', async (world) => {
    const leader = aLeader();
    const ada = await storeUser(world, aUser().of(leader.division), hashNamed('one'));
    await storeUser(world, leader);
    const { id, username, divisionId, groups, isActive, isStaff, isSuperuser } = leader;
    const actor = { id, username, divisionId, groups, isActive, isStaff, isSuperuser };
    const locked = { actor, user: ada, passwordHash: hashNamed('one'), division: ada.division };
    const noLeader = { isLastLeader: false, leadsOthersAlone: false };
    expectEqual(await lockedBy(world, ada, authorOf(leader)), { ...locked, ...noLeader });
    const inactive = await storeUser(world, aLeader().of(ada.division).inactive());
    const authors = [authorOf({ ...inactive, divisionId }), OPERATOR, authorOf(aLeader())];
    const seen = await Promise.all(authors.map((author) => lockedBy(world, ada, author)));
    const actors = seen.map(({ actor }) => actor && [actor.id, actor.isActive]);
    expectEqual(actors, [[inactive.id, false], null, null]);
    const self = await lockedBy(world, ada, { ...OPERATOR, userId: ada.id });
    expectEqual([self.actor?.id, self.user?.id], [ada.id, ada.id]);
  }),

  contractCase('passes the division of a move', async (world) => {
    const ada = await storeUser(world, aLeader());
    const { id, name } = await storeDivision(world, aDivision());
    const { division, isLastLeader, user } = await lockedBy(world, { id: ada.id, divisionId: id });
    expectEqual([user, division, isLastLeader], [ada, { id, name }, true]);
  }),

  contractCase('writes nothing if nothing changed', async (world) => {
    const ada = await storeUser(world, aUser());
    expectEqual(await world.users.write(OPERATOR, { id: ada.id }, () => 'unchanged'), ada);
    expectEqual(await world.users.find(ada.id), ada);
    expectEqual((await entriesOf(world, ada)).length, 1, 'the number of entries');
  }),

  contractCase('rolls everything back when the decision throws, rethrows its error, and continues', async (world) => {
    const { user, id } = await aVisitor(world);
    const south = await storeDivision(world, aDivision());
    const thrown = forbidden('not allowed');
    for (const target of [{ id: user.id }, { id: user.id, divisionId: south.id }]) {
      const write = world.users.write(OPERATOR, target, () => {
        throw thrown;
      });
      expectEqual((await expectRefusal('forbidden', write)) === thrown, true, 'that the error is the same');
    }
    expectEqual(await world.users.find(user.id), user);
    expectEqual(await isAlive(world, user, id), true);
    expectEqual((await entriesOf(world, user)).length, 1, 'the number of entries');
    expectEqual((await changeUser(world, user.id, { firstName: 'A' })).firstName, 'A');
  }),

  contractCase('rejects unknown users and divisions without a decision', async (world) => {
    const ada = await storeUser(world, aUser());
    for (const unknown of [world.ids.next(), 'no id']) {
      await expectRefusal('not_found', world.users.write(OPERATOR, { id: unknown }, refuse));
      await expectRefusal('not_found', world.users.write(OPERATOR, { id: ada.id, divisionId: unknown }, refuse));
    }
    await deleteUser(world, ada.id);
    await expectRefusal('not_found', world.users.write(OPERATOR, { id: ada.id }, refuse));
  }),

  contractCase('rejects names that are taken, and then changes nothing', async (world) => {
    await storeUser(world, aUser().with({ username: 'eve', email: 'eve@example.org' }));
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    const { id } = await aSession(world, ada, hashNamed('one'));
    const change = (values: Partial<User>) => changeUser(world, ada.id, values, { passwordHash: hashNamed('two') });
    await expectRefusal('username_taken', change({ username: 'EVE', firstName: 'Ada' }));
    await expectRefusal('email_taken', change({ email: 'Eve@Example.ORG', firstName: 'Ada' }));
    expectEqual(await world.credentials.find(ada.id), { user: ada, passwordHash: hashNamed('one') });
    expectEqual(await isAlive(world, ada, id), true);
    expectEqual((await entriesOf(world, ada)).length, 1, 'the number of entries');
  }),

  contractCase('lets a user change the case of their own names, and makes an email available again', async (world) => {
    const ada = await storeUser(world, aUser().with({ username: 'ada', email: 'ada@example.org' }));
    const names = { username: 'Ada', email: 'Ada@Example.org' };
    const changed = await changeUser(world, ada.id, names);
    expectEqual({ ...changed, ...names }, changed);
    await changeUser(world, ada.id, { email: null });
    await storeUser(world, aUser().with({ email: 'ADA@example.org' }));
  }),

  contractCase('never uses a revision twice, even for the same values', async (world) => {
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    const revisions = [ada.revision];
    for (const firstName of ['Ada', '', 'Ada', '']) {
      revisions.push((await changeUser(world, ada.id, { firstName })).revision);
    }
    for (const passwordHash of [hashNamed('two'), hashNamed('one')]) {
      revisions.push((await changeUser(world, ada.id, {}, { passwordHash })).revision);
    }
    expectEqual(new Set(revisions).size, 7, 'the number of revisions');
  }),

  contractCase('gives a user a new revision if the division is renamed, not if it changes otherwise', async (world) => {
    const chapter = await storeDivision(world, aDivision());
    const ada = await storeUser(world, aUser().of(chapter));
    const stranger = await storeUser(world, aUser());
    await changeDivision(world, chapter.id, { logo: 'https://example.org/' });
    expectEqual(await world.users.find(ada.id), ada);
    await changeDivision(world, chapter.id, { name: 'New name' });
    const renamed = await world.users.find(ada.id);
    expectEqual(renamed?.division, { id: chapter.id, name: 'New name' });
    expectDifferent(renamed?.revision, ada.revision, 'the revision');
    expectEqual(await world.users.find(stranger.id), stranger);
  }),

  contractCase('deletes a user once for concurrent requests', async (world) => {
    const ada = await storeUser(world, aUser());
    const raced = await outcomesOf([1, 2, 3].map(() => deleteUser(world, ada.id)));
    expectEqual(raced.refused, ['not_found', 'not_found']);
    expectEqual((await entriesOf(world, ada)).length, 2, 'the number of entries');
  }),

  contractCase('swaps the Leaders of two divisions at the same time', async (world) => {
    const [ada, eve] = [await storeUser(world, aLeader()), await storeUser(world, aLeader())];
    await Promise.all([moveUser(world, ada.id, eve.division.id), moveUser(world, eve.id, ada.division.id)]);
    const divisionOf = async ({ id }: User) => (await world.users.find(id))?.division.id;
    expectEqual([await divisionOf(ada), await divisionOf(eve)], [eve.division.id, ada.division.id]);
  }),
];
