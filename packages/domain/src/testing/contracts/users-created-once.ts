import { authorOf, type User } from '../../model/user.ts';
import type { IdempotentCreation } from '../../ports/idempotent-creation.ts';
import { aLeader, aUser, type PersonBuilder } from '../builders/builders.ts';
import { asNewUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';
import { HOUR_SECONDS } from './fixtures.ts';
import { allow, refuse } from './permissions.ts';

const idempotency: IdempotentCreation = { key: 'key "1"', request: '{"username":"ada"}' };

/** Stores a Leader, and returns a function that creates users in the Leader's name. */
const aCreator = async (world: World) => {
  const leader = aLeader();
  const { division } = await storeUser(world, leader);
  const create = (user: PersonBuilder, { key, request }: IdempotentCreation = idempotency, permit = allow) =>
    world.users.create(authorOf(leader), asNewUser(user.of(division), hashNamed(user.username)), permit, {
      key,
      request,
    });
  return { leader, division, create };
};

const created = (result: object): User | undefined => ('user' in result ? (result.user as User) : undefined);

/** Contract cases for creating a user with an idempotency key. */
export const usersCreatedOnce: readonly ContractCase[] = [
  contractCase('creates a user with an idempotency key as without one', async (world) => {
    const { create } = await aCreator(world);
    const ada = aUser();
    const result = await create(ada);
    expectEqual(created(result), await world.users.find(ada.id));
  }),

  contractCase('creates nothing for a key that was used before, and returns the earlier creation', async (world) => {
    const { create } = await aCreator(world);
    const [ada, eve] = [aUser(), aUser()];
    const user = created(await create(ada));
    const result = await create(eve, { key: idempotency.key, request: 'another' });
    expectEqual(result, { prior: { request: idempotency.request, user, passwordHash: hashNamed(ada.username) } });
    expectEqual(await world.users.find(eve.id), null);
    expectEqual((await world.audit.list({ userIds: [eve.id], limit: 10 })).length, 0, 'the number of entries');
  }),

  contractCase('finds an earlier creation before it finds a name taken', async (world) => {
    const { create } = await aCreator(world);
    const ada = aUser();
    const user = created(await create(ada));
    const result = await create(aUser().with({ username: ada.username }));
    expectEqual('prior' in result && result.prior.user, user);
  }),

  contractCase('returns the user as first created, also after changes and a deletion', async (world) => {
    const { create, leader } = await aCreator(world);
    const ada = aUser();
    const user = created(await create(ada));
    const change = { firstName: 'Ada', groups: ['Guest'] } as const;
    await world.users.update(authorOf(leader), ada.id, ({ user: now }) => ({
      user: { ...now, ...change },
      passwordHash: hashNamed('later'),
      endsSessions: true,
    }));
    // The first password is no longer the user's, and it is stored nowhere else.
    const prior = { request: idempotency.request, user, passwordHash: null };
    expectEqual(await create(aUser()), { prior });
    await world.users.delete(authorOf(leader), ada.id, allow);
    expectEqual(await create(aUser()), { prior });
  }),

  contractCase('distinguishes the keys of different authors, and the keys of one author', async (world) => {
    const [first, second] = [await aCreator(world), await aCreator(world)];
    const results = [
      await first.create(aUser()),
      await second.create(aUser()),
      await first.create(aUser(), { ...idempotency, key: 'key "2"' }),
      await first.create(aUser(), { ...idempotency, key: 'KEY "1"' }),
    ];
    expectEqual(
      results.map((result) => 'user' in result),
      [true, true, true, true],
    );
  }),

  contractCase('remembers a key for 24 hours and no longer', async (world) => {
    const { create } = await aCreator(world);
    await create(aUser());
    world.clock.advance(24 * HOUR_SECONDS - 1);
    expectEqual('prior' in (await create(aUser())), true, 'the key being known a second before');
    world.clock.advance(2);
    const ada = aUser();
    expectEqual(created(await create(ada))?.id, ada.id);
    const again = await create(aUser());
    expectEqual('prior' in again && again.prior.user.id, ada.id);
  }),

  contractCase('does not use up the key when the creation fails', async (world) => {
    const { create } = await aCreator(world);
    const { username } = await storeUser(world, aUser());
    await expectRefusal('username_taken', create(aUser().with({ username })));
    expectEqual('user' in (await create(aUser())), true);
  }),

  contractCase('checks permission before it returns an earlier creation', async (world) => {
    const { create } = await aCreator(world);
    await create(aUser());
    await expectRefusal('forbidden', create(aUser(), idempotency, refuse));
  }),

  contractCase(
    'creates one user for concurrent requests with the same key, and returns it to the others',
    async (world) => {
      const { create, division } = await aCreator(world);
      const rivals = [aUser(), aUser(), aUser(), aUser(), aUser()];
      const results = await Promise.all(rivals.map((rival) => create(rival)));
      const users = results.flatMap((result) => created(result) ?? []);
      expectEqual(users.length, 1, 'the number of created users');
      const prior = results.flatMap((result) => ('prior' in result ? [result.prior] : []));
      const [user] = users;
      const first = { request: idempotency.request, user, passwordHash: hashNamed(user?.username ?? '') };
      expectEqual(prior, [first, first, first, first]);
      const entries = await world.audit.list({ divisionId: division.id, limit: 50 });
      expectEqual(entries.filter(({ targetId }) => rivals.some(({ id }) => id === targetId)).length, 1, 'the entries');
    },
  ),

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
