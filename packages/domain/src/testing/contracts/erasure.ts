import { pruningAudit } from '../../model/audit-entry.ts';
import { OPERATOR } from '../../model/user.ts';
import { LOGIN_LIMITS } from '../../ports/login-limits.ts';
import { aUser } from '../builders/builders.ts';
import { asNewUser, changeUser, storeUser } from '../builders/store.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal } from './expect.ts';
import { allow, by, HOME } from './fixtures.ts';
import { aMember, erase, usersErased } from './users-erased.ts';

const NOTHING = { sessions: 0, auditEntries: 0, storedResponses: 0, counters: 0 };

/** Contract cases for every erasure. */
export const erasureContract: readonly ContractCase[] = [
  ...usersErased,

  contractCase('removes the counters of the user under every name, and no others', async (world) => {
    const { conflictLimits, loginLimits } = world;
    const { eve, lead } = await aMember(world);
    await changeUser(world, eve.id, { username: 'Renamed' });
    await changeUser(world, lead.id, { username: 'renamed-lead' });
    const subjects = [{ username: 'eve' }, { username: 'renamed' }, { userId: eve.id }];
    const others = [{ username: lead.username }, { userId: lead.id }];
    for (const subject of [...subjects, ...others]) {
      for (let time = 0; time < LOGIN_LIMITS.ofSubject; time++) await loginLimits.begin(subject, HOME);
    }
    await conflictLimits.count(eve.id);
    await conflictLimits.count(lead.id);
    expectEqual((await erase(world, eve)).counters, 4);
    for (const subject of subjects) await loginLimits.begin(subject, HOME);
    for (const subject of others) await expectRefusal('rate_limited', loginLimits.begin(subject, HOME));
  }),

  contractCase('keeps the counters of a former name that another user has now', async (world) => {
    const { eve } = await aMember(world);
    await changeUser(world, eve.id, { username: 'renamed' });
    await storeUser(world, aUser().with({ username: 'Eve' }));
    for (let time = 0; time < LOGIN_LIMITS.ofSubject; time++) await world.loginLimits.begin({ username: 'eve' }, HOME);
    expectEqual((await erase(world, eve)).counters, 0);
    await expectRefusal('rate_limited', world.loginLimits.begin({ username: 'eve' }, HOME));
  }),

  contractCase('empties the response to the creation, so that a repeat creates nothing', async (world) => {
    const { create, eve } = await aMember(world);
    await erase(world, eve);
    const repeated = await create(aUser().of(eve.division));
    expectEqual('prior' in repeated && repeated.prior.request, '');
    expectEqual('prior' in repeated && repeated.prior.user, { id: eve.id });
    expectEqual('prior' in repeated && repeated.prior.passwordHash, null);
  }),

  contractCase('removes a key that contains a name of the user, and no key of another creation', async (world) => {
    const { create, eve, lead } = await aMember(world, 'create-EVE-1');
    const createOther = () =>
      world.users.create(by(lead), asNewUser(aUser().of(lead.division)), allow, { key: 'create-EVE-2', request: '' });
    await createOther();
    expectEqual((await erase(world, eve)).storedResponses, 1);
    expectEqual('prior' in (await createOther()), true);
    expectEqual('user' in (await create(aUser().of(eve.division))), true);
  }),

  contractCase('removes the keys that the user sent', async (world) => {
    const { eve, lead, create } = await aMember(world);
    expectEqual((await erase(world, lead)).storedResponses, 1);
    expectEqual((await world.users.find(eve.id))?.username, 'eve');
    expectEqual('user' in (await create(aUser().of(eve.division).with({ username: 'new' }))), true);
  }),

  contractCase('keeps the responses to creations of other users', async (world) => {
    const { lead, create } = await aMember(world);
    const other = await storeUser(world, aUser().of(lead.division), hashNamed('other'));
    expectEqual(await erase(world, other), { ...NOTHING, auditEntries: 1 });
    const repeated = await create(aUser().of(lead.division));
    expectEqual('prior' in repeated && repeated.prior.request, 'the request');
  }),

  contractCase('removes the links that the user created for others, and no other links', async (world) => {
    const { eve, lead, link } = await aMember(world);
    const other = await storeUser(world, aUser());
    await world.passwordLinks.create(by(eve), { userId: other.id, digest: 'by eve', lifetime: 3600 }, allow);
    await erase(world, lead);
    expectEqual(await world.passwordLinks.find(link), null);
    expectEqual((await world.passwordLinks.find('by eve'))?.user.id, other.id);
  }),

  contractCase('removes the entries before an instant, and records how many', async (world) => {
    const { lead, eve } = await aMember(world);
    world.clock.advance(60);
    const before = world.clock.now();
    await changeUser(world, eve.id, { firstName: 'Eva' });
    world.clock.advance(60);
    // The division, the two users, and the link.
    expectEqual(await world.erasure.pruneAudit(OPERATOR, before), 4);
    const [pruned, updated, ...others] = await world.audit.list({ limit: 100 });
    expectEntry(pruned, { author: OPERATOR, at: world.clock.now(), ...pruningAudit(before, 4) });
    expectEqual([updated?.action, updated?.changes['firstName']], ['updateUser', { old: 'Eve', new: 'Eva' }]);
    expectEqual(others, []);
    expectEqual(await world.users.find(lead.id), lead);
    expectEqual(await world.erasure.pruneAudit(OPERATOR, before), 0);
  }),
];
