import { type Actor, authorOf, type Group, type User } from '../../model/user.ts';
import type { IdempotentCreation, PermitCreation } from '../../ports/user-repository.ts';
import { aLeader, aUser, type PersonBuilder } from '../builders/builders.ts';
import { asNewUser, changeUser, deleteUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';
import { allow, entriesOf, HOUR_SECONDS, refuse } from './fixtures.ts';

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

/** Contract cases for creating a user with an idempotency key. */
export const usersCreatedOnce: readonly ContractCase[] = [
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
