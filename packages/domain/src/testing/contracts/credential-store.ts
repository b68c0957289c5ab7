import { aUser } from '../builders/builders.ts';
import { changeUser, storeUser } from '../builders/store.ts';
import { aSession } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEqual } from './expect.ts';

const [one, two, three] = [hashNamed('one'), hashNamed('two'), hashNamed('three')];

/** Contract cases for every credential store. */
export const credentialStoreContract: readonly ContractCase[] = [
  contractCase('finds a user with the hash by id, and by username regardless of case', async (world) => {
    const user = await storeUser(world, aUser().with({ username: 'Ada.L' }), one);
    await storeUser(world, aUser().of(user.division), two);
    const expected = { user, passwordHash: one };
    expectEqual(await world.credentials.find(user.id), expected);
    for (const username of ['Ada.L', 'ada.l', 'ADA.L']) {
      expectEqual(await world.credentials.findByUsername(username), expected);
    }
  }),

  contractCase('finds inactive users and users without a password', async (world) => {
    const user = await storeUser(world, aUser().inactive());
    expectEqual(await world.credentials.find(user.id), { user, passwordHash: null });
    expectEqual(await world.credentials.findByUsername(user.username), { user, passwordHash: null });
  }),

  contractCase('returns null for unknown users, and has no wildcards', async (world) => {
    await storeUser(world, aUser().with({ username: 'ada', email: 'eve@example.org' }), one);
    for (const username of ['', 'ad', 'adaa', 'ad_', 'a%', '%', 'ada ', 'eve@example.org', 'ada\u0000', 'ada\ud800']) {
      expectEqual(await world.credentials.findByUsername(username), null, JSON.stringify(username));
    }
    expectEqual(await world.credentials.find(world.ids.next()), null);
  }),

  contractCase('renews a hash without changing the user, writing an audit entry or ending a session', async (world) => {
    const user = await storeUser(world, aUser(), one);
    const { id } = await aSession(world, user, one);
    await world.credentials.renew(user.id, one, two);
    expectEqual(await world.credentials.find(user.id), { user, passwordHash: two });
    expectEqual((await world.actors.find(user.id, id))?.id, user.id);
    expectEqual((await world.audit.list({ userIds: [user.id], limit: 10 })).length, 1, 'the number of entries');
  }),

  contractCase('renews only the given hash of the given user', async (world) => {
    const ada = await storeUser(world, aUser(), one);
    const eve = await storeUser(world, aUser(), one);
    await world.credentials.renew(ada.id, two, three);
    expectEqual((await world.credentials.find(ada.id))?.passwordHash, one);
    await world.credentials.renew(ada.id, one, three);
    expectEqual((await world.credentials.find(eve.id))?.passwordHash, one);
    await world.credentials.renew(world.ids.next(), one, two);
  }),

  contractCase('never replaces a new password when a renewal and a change are concurrent', async (world) => {
    const ada = await storeUser(world, aUser(), one);
    await Promise.all([
      world.credentials.renew(ada.id, one, two),
      changeUser(world, ada.id, {}, { passwordHash: three }),
      world.credentials.renew(ada.id, one, two),
    ]);
    expectEqual((await world.credentials.find(ada.id))?.passwordHash, three);
  }),
];
