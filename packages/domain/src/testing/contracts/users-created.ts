import { userRules } from '../../fields/user-fields.ts';
import { userAudit } from '../../model/audit-entry.ts';
import { actorOf, authorOf, OPERATOR } from '../../model/user.ts';
import { decideCreation } from '../../writes/user-writes.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, storeDivision, storeUser } from '../builders/store.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal } from './expect.ts';
import { allow, by, entriesOf, refuse } from './fixtures.ts';

/** Contract cases for creating a user. */
export const usersCreated: readonly ContractCase[] = [
  contractCase('returns null for an unknown user', async ({ users, ids }) => {
    expectEqual(await users.find(ids.next()), null);
  }),

  contractCase('stores unusual values of a created user, and returns the name of the division', async (world) => {
    const chapter = await storeDivision(world, aDivision().with({ name: 'Zürich "Ost" %_\\ 𝕏' }));
    const names = { username: 'Ada.L+1@x-y_z', firstName: 'Ada 𝕏 O’Neil "%_\\', lastName: 'Żółć' };
    const values = { ...names, birthdate: '1900-01-01', dateJoined: '2025-12-31T23:59:59.999Z' };
    const { divisionId: _, ...ada } = aUser().of(chapter).with(values);
    const created = await storeUser(world, ada, hashNamed('one'));
    expectEqual(created, { ...ada, revision: created.revision });
    expectEqual(await world.credentials.find(ada.id), { user: created, passwordHash: hashNamed('one') });
  }),

  contractCase('stores texts of the maximum length in incompressible four-byte characters', async (world) => {
    let last = 0x2_00_00;
    const text = (length: number) => Array.from({ length }, () => String.fromCodePoint((last += 61))).join('');
    const { username, email, personName } = userRules;
    const names = { username: 'x'.repeat(username.max), email: `@${text(email.max - 1)}` };
    const [firstName, lastName] = [text(personName.max), text(personName.max)];
    const created = await storeUser(world, aUser().with({ ...names, firstName, lastName }));
    expectEqual(await world.users.find(created.id), created);
  }),

  contractCase('rejects an email that differs only in Unicode case, also from another division', async (world) => {
    await storeUser(world, aUser().with({ email: 'ÄΣ@Example.org' }));
    await expectRefusal('email_taken', storeUser(world, aUser().with({ email: 'äς@eXAMPLE.ORG' })));
  }),

  contractCase('accepts several users without an email, and similar usernames', async (world) => {
    const first = await storeUser(world, aUser().with({ username: 'ada', email: 'a@example.org', firstName: 'Ada' }));
    await storeUser(world, aUser().of(first.division).with({ username: 'ada-', firstName: 'Ada' }));
    await storeUser(world, aUser().of(first.division).with({ username: 'a@example.org', firstName: 'Ada' }));
    expectEqual((await world.users.find(first.id))?.username, 'ada');
  }),

  contractCase('rejects a user of an unknown division', async (world) => {
    const orphan = asNewUser(aUser());
    await expectRefusal('not_found', world.users.create(OPERATOR, orphan, allow));
    expectEqual(await world.users.find(orphan.id), null);
  }),

  contractCase('checks permission with the author as stored, and null for others', async (world) => {
    const leader = aLeader();
    const stored = await storeUser(world, leader.with({ groups: ['Guest'], isStaff: true }));
    const seen: unknown[] = [];
    for (const author of [authorOf(leader), OPERATOR, authorOf(aLeader())]) {
      await world.users.create(author, asNewUser(aUser().of(leader.division)), (actor) => seen.push(actor));
    }
    expectEqual(seen, [actorOf(stored), null, null]);
  }),

  contractCase('stores nothing and reveals no names to an author without permission', async (world) => {
    const { division, username } = await storeUser(world, aUser());
    const refused = asNewUser(aUser().of(division).with({ username }));
    await expectRefusal('forbidden', world.users.create(OPERATOR, refused, refuse));
    expectEqual(await world.users.find(refused.id), null);
    expectEqual(await entriesOf(world, refused), []);
  }),

  contractCase('records a creation as decided', async (world) => {
    const leader = await storeUser(world, aLeader());
    world.clock.advance(60);
    const author = by(leader, 'request-1');
    const ada = asNewUser(aUser().of(leader.division).with({ email: 'ada@example.org' }), hashNamed('secret'));
    await world.users.create(author, ada, allow);
    const [entry, ...more] = await entriesOf(world, ada);
    expectEqual(more.length, 0, 'the number of further entries');
    const { changes } = decideCreation(ada, leader.division).audit;
    expectEntry(entry, {
      author,
      at: world.clock.now(),
      ...userAudit('createUser', { ...leader, id: ada.id }, changes),
    });
  }),
];
