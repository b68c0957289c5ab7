import { type Author, OPERATOR } from '../../model/user.ts';
import type { AuditFilter } from '../../ports/audit-log.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, promise } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** A short story of five entries, a minute apart, of two divisions and three users; two of them by Ada. */
const aStory = async (world: World) => {
  const [north, south] = [aDivision(), aDivision()];
  const minute = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    world.clock.advance(60);
    return done;
  };
  const begun = world.clock.now();
  await minute(storeDivision(world, north));
  await minute(storeDivision(world, south));
  const ada = await minute(storeUser(world, aLeader().of(north)));
  const byAda: Author = { userId: ada.id, name: ada.username, requestId: null };
  const bob = aUser().of(north);
  await minute(world.users.create(byAda, asNewUser(bob), () => {}));
  await minute(world.users.delete(byAda, bob.id, () => {}));
  return { begun, north, south, ada, bob };
};

const actions = async ({ audit }: World, filter: Partial<AuditFilter> = {}) =>
  (await audit.list({ limit: 100, ...filter })).map(({ action }) => action);

/** What every audit log promises. What is written down in it is a promise of the repositories. */
export const auditLogContract: readonly ContractCase[] = [
  promise('lists nothing where nothing was changed', async (world) => {
    expectEqual(await world.audit.list({ limit: 10 }), []);
  }),

  promise('lists the newest first', async (world) => {
    await aStory(world);
    expectEqual(await actions(world), ['deleteUser', 'createUser', 'createUser', 'createDivision', 'createDivision']);
  }),

  promise('lists what was written last first, of one moment as well', async (world) => {
    const targets = [aDivision(), aDivision(), aDivision(), aDivision()];
    for (const target of targets) await storeDivision(world, target);
    const listed = (await world.audit.list({ limit: 10 })).map(({ targetId }) => targetId);
    expectEqual(listed, targets.map(({ id }) => id).toReversed());
  }),

  promise('lists as many as asked for at most', async (world) => {
    await aStory(world);
    expectEqual(await actions(world, { limit: 2 }), ['deleteUser', 'createUser']);
  }),

  promise('lists what somebody did and what was done to them', async (world) => {
    const { ada, bob } = await aStory(world);
    expectEqual(await actions(world, { userIds: [ada.id] }), ['deleteUser', 'createUser', 'createUser']);
    expectEqual(await actions(world, { userIds: [bob.id] }), ['deleteUser', 'createUser']);
    expectEqual(await actions(world, { userIds: [world.ids.next()] }), []);
  }),

  promise('lists what concerns a division: itself and its users', async (world) => {
    const { north, south } = await aStory(world);
    const ofUsers = ['deleteUser', 'createUser', 'createUser'];
    expectEqual(await actions(world, { divisionId: north.id }), [...ofUsers, 'createDivision']);
    expectEqual(await actions(world, { divisionId: south.id }), ['createDivision']);
  }),

  promise('lists from a moment on, that moment included', async (world) => {
    const { begun } = await aStory(world);
    const minutes = (count: number) => new Date(Date.parse(begun) + count * 60_000).toISOString();
    expectEqual(await actions(world, { since: minutes(4) }), ['deleteUser']);
    expectEqual((await actions(world, { since: minutes(3) })).length, 2);
    expectEqual((await actions(world, { since: minutes(0) })).length, 5);
    expectEqual(await actions(world, { since: minutes(5) }), []);
  }),

  promise('lists what every part of the filter lets through', async (world) => {
    const { ada, bob, begun, north, south } = await aStory(world);
    const since = new Date(Date.parse(begun) + 180_000).toISOString();
    const filter = { userIds: [ada.id], divisionId: north.id, since };
    expectEqual(await actions(world, filter), ['deleteUser', 'createUser']);
    expectEqual(await actions(world, { ...filter, limit: 1 }), ['deleteUser']);
    expectEqual(await actions(world, { userIds: [bob.id], divisionId: south.id }), []);
  }),

  promise('finds users by any name that they have or had, renamed and deleted ones included', async (world) => {
    const { ada, bob } = await aStory(world);
    await world.users.update(OPERATOR, ada.id, ({ user }) => ({
      user: { ...user, username: 'Countess' },
      endsSessions: false,
    }));
    const taker = await storeUser(world, aUser().with({ username: ada.username }));
    const named = async (name: string) => (await world.audit.findUsersByName(name)).toSorted();
    expectEqual(await named(ada.username.toLowerCase()), [ada.id, taker.id].toSorted());
    expectEqual(await named('countess'), [ada.id]);
    expectEqual(await named(bob.username.toLowerCase()), [bob.id]);
    expectEqual(await named('no-one'), []);
  }),

  promise('keeps an entry as it was, though author and target change or go', async (world) => {
    const { ada, bob, north } = await aStory(world);
    const before = await world.audit.list({ userIds: [bob.id], limit: 10 });
    await world.users.update(OPERATOR, ada.id, ({ user }) => ({
      user: { ...user, username: 'renamed' },
      endsSessions: false,
    }));
    await world.divisions.update(OPERATOR, north.id, ({ division }) => ({ ...division, name: 'Renamed' }));
    await world.users.delete(OPERATOR, ada.id, () => {});
    expectEqual(await world.audit.list({ userIds: [bob.id], limit: 10 }), before);
    expectEqual(
      before.map(({ authorId, authorName }) => [authorId, authorName]),
      [
        [ada.id, ada.username],
        [ada.id, ada.username],
      ],
    );
  }),
];
