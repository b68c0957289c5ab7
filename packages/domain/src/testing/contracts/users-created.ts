import { userRules } from '../../fields/user-fields.ts';
import { userAudit } from '../../model/audit-entry.ts';
import { type Actor, actorOf, authorOf, type Group, OPERATOR, type User } from '../../model/user.ts';
import type { IdempotentCreation, PermitCreation } from '../../ports/user-repository.ts';
import { decideCreation } from '../../writes/user-writes.ts';
import { aDivision, aLeader, aUser, type PersonBuilder } from '../builders/builders.ts';
import { asNewUser, changeUser, deleteUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal } from './expect.ts';
import { allow, by, entriesOf, HOUR_SECONDS, refuse } from './fixtures.ts';

const idempotency: IdempotentCreation = { key: 'key "1"', request: '{"username":"ada"}' };

/** Stores a Leader, and returns a function that creates users in the Leader's name. */
const aCreator = async (world: World) => {
  const leader = aLeader();
  const { division } = await storeUser(world, leader);
  const create = (user: PersonBuilder, once = idempotency, permit = allow) =>
    world.users.create(authorOf(leader), asNewUser(user.of(division), hashNamed(user.username)), permit, once);
  const check = (
    { username, email }: PersonBuilder,
    once: IdempotentCreation | null = idempotency,
    permit: PermitCreation = allow,
  ) => world.users.checkCreation(authorOf(leader), { username, email }, permit, once ?? undefined);
  return { leader, division, create, check };
};

const created = (result: object): User | undefined => ('user' in result ? (result.user as User) : undefined);

/** Contract cases for creating a user, also with an idempotency key. */
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

  contractCase('creates nothing for a key that was used before, and returns the earlier creation', async (world) => {
    const { create } = await aCreator(world);
    const ada = aUser();
    const eve = aUser().with({ username: ada.username });
    const user = created(await create(ada));
    const result = await create(eve, { key: idempotency.key, request: 'another' });
    expectEqual(result, { prior: { request: idempotency.request, user, passwordHash: hashNamed(ada.username) } });
    expectEqual(await world.users.find(eve.id), null);
    expectEqual(await entriesOf(world, eve), []);
  }),

  contractCase('returns the user as first created, also after changes and a deletion', async (world) => {
    const { create, leader } = await aCreator(world);
    const ada = aUser();
    const user = created(await create(ada));
    const change = { firstName: 'Ada', groups: ['Guest'] } as const;
    await changeUser(world, ada.id, change, { author: authorOf(leader), passwordHash: hashNamed('later') });
    // The first password is no longer the user's, and it is stored nowhere else.
    const prior = { request: idempotency.request, user, passwordHash: null };
    expectEqual(await create(aUser()), { prior });
    await deleteUser(world, ada.id, authorOf(leader));
    expectEqual(await create(aUser()), { prior });
  }),

  contractCase('distinguishes the keys of different authors, and the keys of one author', async (world) => {
    const [first, second] = [await aCreator(world), await aCreator(world)];
    const createAll = async () => [
      await first.create(aUser()),
      await second.create(aUser()),
      await first.create(aUser(), { ...idempotency, key: 'key "2"' }),
      await first.create(aUser(), { ...idempotency, key: 'KEY "1"' }),
    ];
    const users = (await createAll()).map(created);
    const divisions = users.map((user) => user?.division);
    const [ofFirst, ofSecond] = [first.division, second.division];
    expectEqual(divisions, [ofFirst, ofSecond, ofFirst, ofFirst]);
    const repeated = (await createAll()).map((result) => 'prior' in result && result.prior.user);
    expectEqual(repeated, users, 'the users that the repetitions return');
  }),

  contractCase('remembers a key for 24 hours and no longer', async (world) => {
    const { create } = await aCreator(world);
    await create(aUser());
    world.clock.advance(24 * HOUR_SECONDS - 1);
    expectEqual('prior' in (await create(aUser())), true, 'the key being known a second before');
    world.clock.advance(2);
    const ada = aUser();
    const user = created(await create(ada, { ...idempotency, request: 'later' }));
    expectEqual(user?.id, ada.id);
    world.clock.advance(24 * HOUR_SECONDS - 1);
    const prior = { request: 'later', user, passwordHash: hashNamed(ada.username) };
    expectEqual(await create(aUser()), { prior });
  }),

  contractCase('does not use up the key when the creation fails', async (world) => {
    const { create } = await aCreator(world);
    const { username } = await storeUser(world, aUser());
    await expectRefusal('username_taken', create(aUser().with({ username })));
    expectEqual('user' in (await create(aUser())), true);
  }),

  contractCase('checks permission before it returns an earlier creation', async (world) => {
    const { create, check } = await aCreator(world);
    await create(aUser());
    await expectRefusal('forbidden', create(aUser(), idempotency, refuse));
    await expectRefusal('forbidden', check(aUser(), idempotency, refuse));
  }),

  contractCase('finds what prevents a creation without creating: an earlier one, or a taken name', async (world) => {
    const { create, check } = await aCreator(world);
    const ada = aUser().with({ email: 'ada@example.org' });
    expectEqual([await check(ada), await world.users.find(ada.id)], [null, null]);
    const result = await create(ada);
    const prior = { request: idempotency.request, user: created(result), passwordHash: hashNamed(ada.username) };
    expectEqual(await check(ada), prior);
    expectEqual(await check(aUser(), { key: idempotency.key, request: 'another' }), prior);
    const another = { key: 'another', request: '{}' };
    const upper = ada.username.toUpperCase();
    await expectRefusal('username_taken', check(aUser().with({ username: upper, email: 'ADA@example.org' }), another));
    await expectRefusal('email_taken', check(aUser().with({ email: 'ADA@example.org' }), another));
    await expectRefusal('username_taken', check(aUser().with({ username: upper }), null));
    expectEqual(await check(aUser(), another), null);
    world.clock.advance(24 * HOUR_SECONDS + 1);
    await expectRefusal('username_taken', check(ada));
  }),

  contractCase('checks a creation with the rights that the author has now', async (world) => {
    const { leader, check } = await aCreator(world);
    const present: (readonly Group[] | undefined)[] = [];
    const permit = (actor: Actor | null) => void present.push(actor?.groups);
    await check(aUser(), null, permit);
    await changeUser(world, leader.id, { groups: ['Guest'] }, { author: authorOf(leader) });
    await check(aUser(), null, permit);
    await deleteUser(world, leader.id, authorOf(leader));
    await check(aUser(), null, permit);
    expectEqual(present, [['Leader'], ['Guest'], undefined]);
  }),

  contractCase('creates one user for concurrent requests with the same key, and returns it to all', async (world) => {
    const { create } = await aCreator(world);
    const rivals = [aUser(), aUser(), aUser(), aUser(), aUser()];
    const results = await Promise.all(rivals.map((rival) => create(rival)));
    const users = results.flatMap((result) => created(result) ?? []);
    expectEqual(users.length, 1, 'the number of created users');
    const prior = results.flatMap((result) => ('prior' in result ? [result.prior] : []));
    const [user] = users;
    const first = { request: idempotency.request, user, passwordHash: hashNamed(user?.username ?? '') };
    expectEqual(prior, [first, first, first, first]);
    expectEqual((await entriesOf(world, ...rivals)).length, 1, 'the number of entries');
  }),

  contractCase('lets the second creation succeed when the first, which it waited for, fails', async (world) => {
    const { create } = await aCreator(world);
    const { username } = await storeUser(world, aUser());
    const [failing, eve] = [aUser().with({ username }), aUser()];
    const [first, second] = await Promise.allSettled([create(failing), create(eve)]);
    // The second call can win the race; then the first call finds the user that the second created.
    const found = first?.status === 'fulfilled' && 'prior' in first.value ? first.value.prior.user.id : eve.id;
    expectEqual([found, second?.status], [eve.id, 'fulfilled']);
    expectEqual((await world.users.find(eve.id))?.username, eve.username);
  }),
];
