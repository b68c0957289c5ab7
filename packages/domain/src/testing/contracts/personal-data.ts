import { OPERATOR, type User } from '../../model/user.ts';
import { aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, changeUser, deleteUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, rotate, visitorHash } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { allow, by, HOME, HOUR_SECONDS } from './fixtures.ts';
import { aToken, storeToken } from './personal-tokens.ts';

/** Personal data apart from the audit trail, if nothing is stored. */
const NO_DATA = {
  user: null,
  hasPassword: false,
  lastActiveOn: null,
  sessions: [],
  tokens: [],
  linkExpiresAt: null,
  keys: [],
  responses: [],
  counters: [],
};

/** Expects that nothing is stored about a user apart from the audit trail. */
export const expectNoData = async ({ personalData }: World, { id }: Pick<User, 'id'>): Promise<void> => {
  const { audit: _, ...rest } = (await personalData.find(id)) ?? {};
  expectEqual(rest, NO_DATA, 'the stored data');
};

/** Contract cases for every reader of personal data. */
export const personalDataContract: readonly ContractCase[] = [
  contractCase('returns nothing but the user and the creation for a new user', async (world) => {
    const ada = await storeUser(world, aUser());
    const { audit, ...rest } = (await world.personalData.find(ada.id)) ?? {};
    const actions = audit?.map(({ action }) => action);
    expectEqual([rest, actions], [{ ...NO_DATA, user: ada }, ['createUser']]);
  }),

  contractCase('returns null for an id under which nothing is stored', async (world) => {
    await storeUser(world, aUser());
    expectEqual(await world.personalData.find(world.ids.next()), null);
    expectEqual(await world.personalData.find('no-uuid'), null);
  }),

  contractCase('returns the sessions and the link, oldest first', async (world) => {
    const ada = await storeUser(world, aUser(), visitorHash);
    const other = await storeUser(world, aUser(), visitorHash);
    await aSession(world, other, visitorHash);
    const started = world.clock.now();
    const first = await aSession(world, ada, visitorHash, { userAgent: 'Phone/1.0' });
    world.clock.advance(60);
    const second = await aSession(world, ada, visitorHash);
    await rotate(world, first.digest);
    const refreshed = world.clock.now();
    const link = { userId: ada.id, digest: aDigest(), lifetime: 3600 };
    await world.passwordLinks.create(OPERATOR, { userId: other.id, digest: aDigest(), lifetime: 60 }, allow);
    const linkExpiresAt = await world.passwordLinks.create(OPERATOR, link, allow);
    const found = await world.personalData.find(ada.id);
    const expiresAt = second.times?.expiresAt ?? '';
    expectEqual([found?.hasPassword, found?.lastActiveOn], [true, refreshed.slice(0, 10)]);
    expectEqual(found?.linkExpiresAt, linkExpiresAt);
    expectEqual(found?.sessions, [
      { id: first.id, createdAt: started, refreshedAt: refreshed, expiresAt, userAgent: 'Phone/1.0' },
      { id: second.id, createdAt: refreshed, refreshedAt: refreshed, expiresAt, userAgent: null },
    ]);
  }),

  contractCase('returns the personal access tokens, oldest first and expired ones too', async (world) => {
    const ada = await storeUser(world, aUser());
    const [first, second] = [aToken(world, ada), aToken(world, ada, { name: 'newer' })];
    await storeToken(world, first);
    world.clock.advance(2 * HOUR_SECONDS);
    await storeToken(world, second);
    const names = (await world.personalData.find(ada.id))?.tokens.map(({ name }) => name);
    expectEqual(names, [first.name, second.name]);
  }),

  contractCase('returns the keys that the user sent, and the responses to creations of the user', async (world) => {
    const lead = await storeUser(world, aLeader());
    const [eve, bob] = [aUser().of(lead.division), aUser().of(lead.division)];
    const create = (user: User, key: string) =>
      world.users.create(by(lead), asNewUser(user), allow, { key, request: 'the request' });
    const created = await create(eve, 'b');
    const createdAt = world.clock.now();
    world.clock.advance(60);
    await create(bob, 'a');
    const keysAndResponses = async ({ id }: User) => {
      const found = await world.personalData.find(id);
      return [found?.keys, found?.responses];
    };
    const [older, newer] = [
      { key: 'b', createdAt },
      { key: 'a', createdAt: world.clock.now() },
    ];
    expectEqual(await keysAndResponses(lead), [[older, newer], []]);
    expectEqual(await keysAndResponses(eve), [[], [{ user: 'user' in created ? created.user : eve, createdAt }]]);
  }),

  contractCase('returns the counters of the user by kind', async (world) => {
    const { conflictLimits, loginLimits, personalData } = world;
    const ada = await storeUser(world, aUser().with({ username: 'ada' }));
    const other = await storeUser(world, aUser().with({ username: 'other' }));
    await changeUser(world, ada.id, { username: 'Renamed' });
    for (const subject of [{ username: 'ada' }, { username: 'ada' }, { username: 'renamed' }, { userId: ada.id }]) {
      await loginLimits.begin(subject, HOME);
    }
    await loginLimits.begin({ username: 'other' }, HOME);
    await loginLimits.begin(null, HOME);
    await conflictLimits.count(ada.id);
    await conflictLimits.count(other.id);
    const { counters = [] } = (await personalData.find(ada.id)) ?? {};
    const counts = counters.map(({ count, kind }) => `${kind} ${count}`).toSorted();
    expectEqual(counts, ['conflicts 1', 'currentPasswords 1', 'logins 1', 'logins 2']);
    const ended = counters.filter(({ endsAt }) => endsAt <= world.clock.now());
    expectEqual(ended, [], 'the counters whose window has ended');
  }),

  contractCase('returns the entries about and by the user, oldest first, also after a deletion', async (world) => {
    const lead = await storeUser(world, aLeader());
    const eve = aUser().of(lead.division);
    await world.users.create(by(lead), asNewUser(eve), allow);
    await deleteUser(world, eve.id, by(lead));
    const actions = async ({ id }: User) => (await world.personalData.find(id))?.audit.map(({ action }) => action);
    expectEqual(await actions(eve), ['createUser', 'deleteUser']);
    expectEqual(await actions(lead), ['createUser', 'createUser', 'deleteUser']);
    expectEqual((await world.personalData.find(eve.id))?.user, null);
    expectEqual((await world.personalData.find(eve.id))?.hasPassword, false);
  }),
];
