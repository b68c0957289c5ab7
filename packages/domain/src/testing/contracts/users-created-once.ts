import { forbidden } from '../../model/errors.ts';
import { authorOf, type User } from '../../model/user.ts';
import type { IdempotentCreation } from '../../ports/idempotent-creation.ts';
import { aLeader, aUser, type PersonBuilder } from '../builders/builders.ts';
import { asNewUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, hashNamed, promise } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';

const anyone = (): void => {};
const refuse = (): never => {
  throw forbidden('nobody may do this any more');
};
const once: IdempotentCreation = { key: 'key "1"', request: '{"username":"ada"}' };
const HOUR = 60 * 60;

/** A Leader who is stored, and who creates. */
const aCreator = async (world: World) => {
  const leader = aLeader();
  const { division } = await storeUser(world, leader);
  const create = (user: PersonBuilder, { key, request }: IdempotentCreation = once, permit = anyone) =>
    world.users.create(authorOf(leader), asNewUser(user.of(division), hashNamed(user.username)), permit, {
      key,
      request,
    });
  return { leader, division, create };
};

const created = (answer: object): User | undefined => ('user' in answer ? (answer.user as User) : undefined);

/** What a creation under a key promises. */
export const usersCreatedOnce: readonly ContractCase[] = [
  promise('creates under a key as without one', async (world) => {
    const { create } = await aCreator(world);
    const ada = aUser();
    const answer = await create(ada);
    expectEqual(created(answer), await world.users.find(ada.id));
  }),

  promise('creates nothing under a key used before, and tells what was created', async (world) => {
    const { create } = await aCreator(world);
    const [ada, eve] = [aUser(), aUser()];
    const user = created(await create(ada));
    const answer = await create(eve, { key: once.key, request: 'another' });
    expectEqual(answer, { earlier: { request: once.request, user, passwordHash: hashNamed(ada.username) } });
    expectEqual(await world.users.find(eve.id), null);
    expectEqual((await world.audit.list({ userIds: [eve.id], limit: 10 })).length, 0, 'the number of entries');
  }),

  promise('finds an earlier creation before it finds its names taken', async (world) => {
    const { create } = await aCreator(world);
    const ada = aUser();
    const user = created(await create(ada));
    const answer = await create(aUser().with({ username: ada.username }));
    expectEqual('earlier' in answer && answer.earlier.user, user);
  }),

  promise('remembers the user as first answered, through changes and deletion', async (world) => {
    const { create, leader } = await aCreator(world);
    const ada = aUser();
    const user = created(await create(ada));
    const change = { firstName: 'Ada', groups: ['Guest'] } as const;
    await world.users.update(authorOf(leader), ada.id, ({ user: now }) => ({
      user: { ...now, ...change },
      passwordHash: hashNamed('later'),
      endsSessions: true,
    }));
    // The first password is not the user's any more, and is kept nowhere else.
    const earlier = { request: once.request, user, passwordHash: null };
    expectEqual(await create(aUser()), { earlier });
    await world.users.delete(authorOf(leader), ada.id, anyone);
    expectEqual(await create(aUser()), { earlier });
  }),

  promise('keeps the keys of authors apart, and one author’s keys', async (world) => {
    const [first, second] = [await aCreator(world), await aCreator(world)];
    const answers = [
      await first.create(aUser()),
      await second.create(aUser()),
      await first.create(aUser(), { ...once, key: 'key "2"' }),
      await first.create(aUser(), { ...once, key: 'KEY "1"' }),
    ];
    expectEqual(
      answers.map((answer) => 'user' in answer),
      [true, true, true, true],
    );
  }),

  promise('keeps a key for 24 hours and not longer', async (world) => {
    const { create } = await aCreator(world);
    await create(aUser());
    world.clock.advance(24 * HOUR - 1);
    expectEqual('earlier' in (await create(aUser())), true, 'a second before, that it is known');
    world.clock.advance(2);
    const ada = aUser();
    expectEqual(created(await create(ada))?.id, ada.id);
    const again = await create(aUser());
    expectEqual('earlier' in again && again.earlier.user.id, ada.id);
  }),

  promise('leaves the key free when the creation fails', async (world) => {
    const { create } = await aCreator(world);
    const { username } = await storeUser(world, aUser());
    await expectRefusal('username_taken', create(aUser().with({ username })));
    expectEqual('user' in (await create(aUser())), true);
  }),

  promise('asks for permission before it tells of an earlier creation', async (world) => {
    const { create } = await aCreator(world);
    await create(aUser());
    await expectRefusal('forbidden', create(aUser(), once, refuse));
  }),

  promise('creates once when asked several times at once, and tells all the others', async (world) => {
    const { create, division } = await aCreator(world);
    const rivals = [aUser(), aUser(), aUser(), aUser(), aUser()];
    const answers = await Promise.all(rivals.map((rival) => create(rival)));
    const users = answers.flatMap((answer) => created(answer) ?? []);
    expectEqual(users.length, 1, 'the number of those created');
    const earlier = answers.flatMap((answer) => ('earlier' in answer ? [answer.earlier] : []));
    const [user] = users;
    const first = { request: once.request, user, passwordHash: hashNamed(user?.username ?? '') };
    expectEqual(earlier, [first, first, first, first]);
    const entries = await world.audit.list({ divisionId: division.id, limit: 50 });
    expectEqual(entries.filter(({ targetId }) => rivals.some(({ id }) => id === targetId)).length, 1, 'the entries');
  }),

  promise('lets the second create when the first, which it waited for, fails', async (world) => {
    const { create } = await aCreator(world);
    const { username } = await storeUser(world, aUser());
    const [failing, eve] = [aUser().with({ username }), aUser()];
    const [first, second] = await Promise.allSettled([create(failing), create(eve)]);
    // Called first need not be first: then it finds what the other has created.
    const found = first?.status === 'fulfilled' && 'earlier' in first.value ? first.value.earlier.user.id : eve.id;
    expectEqual([found, second?.status], [eve.id, 'fulfilled']);
    expectEqual((await world.users.find(eve.id))?.username, eve.username);
  }),
];
