import { type AuditEntry, ERASED_NAME, userAudit } from '../../model/audit-entry.ts';
import { forbidden } from '../../model/errors.ts';
import { type Author, OPERATOR, type User } from '../../model/user.ts';
import type { LockedUser } from '../../writes/user-writes.ts';
import { aLeader, aUser } from '../builders/builders.ts';
import {
  asNewUser,
  changeDivision,
  changeUser,
  decideChange,
  deleteUser,
  moveUser,
  storeUser,
} from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, isAlive, visitorHash } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { allow, by, entriesOf } from './fixtures.ts';
import { expectNoData } from './personal-data.ts';
import { aToken, storeToken } from './personal-tokens.ts';

/** Erases a user as the operator. */
export const erase = (world: World, { id }: Pick<User, 'id'>) => world.erasure.eraseUser(OPERATOR, id, allow);

/**
 * Stores a Leader, and a user of the division with a session and a password link. The Leader creates the user with an
 * idempotency key.
 */
export const aMember = async (world: World, key = 'key-1', username = 'eve') => {
  const lead = await storeUser(world, aLeader(), visitorHash);
  const eve = aUser().of(lead.division).with({ username, email: 'eve@example.org', firstName: 'Eve' });
  const create = (user: User) =>
    world.users.create(by(lead, 'request-1'), asNewUser(user, visitorHash), allow, { key, request: 'the request' });
  await create(eve);
  await aSession(world, eve, visitorHash);
  const digest = aDigest();
  await world.passwordLinks.create(by(lead), { userId: eve.id, digest, lifetime: 3600 }, allow);
  return { lead, eve, create, link: digest };
};

const requirePresent = ({ actor }: Pick<LockedUser, 'actor'>): void => {
  if (!actor) throw forbidden('refused');
};

const hasValues = (entry: AuditEntry | undefined): boolean =>
  Object.values(entry?.changes ?? {}).some((value) => value.old !== null || value.new !== null);

/** Contract cases for the erasure of a user with their sessions, links and values in the audit trail. */
export const usersErased: readonly ContractCase[] = [
  contractCase('deletes the user with sessions and links, and returns what was removed', async (world) => {
    const { eve, lead } = await aMember(world);
    const other = await aSession(world, lead, visitorHash);
    const removed = await erase(world, eve);
    expectEqual(removed, { sessions: 1, auditEntries: 1, storedResponses: 1, counters: 0 });
    await expectNoData(world, eve);
    expectEqual(await world.credentials.findByUsername('eve'), null);
    expectEqual(await isAlive(world, lead, other.id), true);
    expectEqual(await world.users.find(lead.id), lead);
    await storeUser(world, aUser().with({ username: 'EVE', email: 'eve@example.org' }));
  }),

  contractCase('calls permit with the locked user, and removes nothing when it throws', async (world) => {
    const { eve, lead } = await aMember(world);
    const before = await entriesOf(world, eve, lead);
    const seen: (LockedUser | null)[] = [];
    const refused = world.erasure.eraseUser(by(lead), eve.id, (locked) => {
      seen.push(locked);
      throw forbidden('refused');
    });
    await expectRefusal('forbidden', refused);
    const [locked] = seen;
    expectEqual([locked?.actor?.id, locked?.user.id, locked?.passwordHash], [lead.id, eve.id, visitorHash]);
    expectEqual([locked?.isLastLeader, locked?.leadsOthersAlone], [false, false]);
    expectEqual((await world.users.find(eve.id))?.username, 'eve');
    expectEqual(await entriesOf(world, eve, lead), before);
    const ofLead: (boolean | undefined)[] = [];
    await world.erasure.eraseUser(OPERATOR, lead.id, (found) =>
      ofLead.push(found?.isLastLeader, found?.leadsOthersAlone),
    );
    expectEqual(ofLead.slice(-2), [true, true]);
  }),

  contractCase('removes values from entries about the user, and keeps the names of the fields', async (world) => {
    const { eve, lead } = await aMember(world);
    await changeUser(world, eve.id, { username: 'renamed', birthdate: '1990-12-10' });
    const ofLead = (await entriesOf(world, lead)).at(-1);
    await erase(world, eve);
    const [erased, updated, linked, created] = await entriesOf(world, eve);
    const nothing = { old: null, new: null };
    expectEqual(updated?.changes, { username: nothing, birthdate: nothing });
    expectEqual(hasValues(created), false, 'that the entry of the creation has values');
    expectEqual(Object.hasOwn(created?.changes ?? {}, 'firstName'), true, 'that the entry still names the field');
    expectEqual([created?.requestId, created?.authorId, created?.authorName], [null, lead.id, lead.username]);
    expectEqual([linked?.action, updated?.action], ['createPasswordLink', 'updateUser']);
    expectEqual((await entriesOf(world, lead)).at(-1), ofLead, 'an entry about another user');
    expectEntry(erased, { author: OPERATOR, at: world.clock.now(), ...userAudit('eraseUser', eve) });
    expectEqual(await world.audit.findUsersByName('eve'), []);
  }),

  contractCase('removes name and request id from entries by the user, and keeps values of others', async (world) => {
    const { eve, lead } = await aMember(world);
    await changeUser(world, eve.id, { groups: ['Leader'] });
    await changeUser(world, lead.id, { firstName: 'Lea' }, { author: by(eve, 'request-2') });
    await changeDivision(world, eve.division.id, { name: 'West' }, by(eve));
    const count = (await erase(world, eve)).auditEntries;
    expectEqual(count, 4, 'the number of entries that the erasure changed');
    const [, ofDivision, ofLead] = await entriesOf(world, eve);
    for (const entry of [ofDivision, ofLead]) {
      expectEqual([entry?.authorId, entry?.authorName, entry?.requestId], [eve.id, ERASED_NAME, null]);
    }
    expectEqual(ofDivision?.changes['name'], { old: eve.division.name, new: 'West' });
    expectEqual(ofLead?.changes, { firstName: { old: '', new: 'Lea' } });
  }),

  contractCase('works for a user who was moved and deleted, once', async (world) => {
    const { eve } = await aMember(world);
    const { division } = await storeUser(world, aUser());
    await moveUser(world, eve.id, division.id);
    await deleteUser(world, eve.id);
    const seen: unknown[] = [];
    const removed = await world.erasure.eraseUser(OPERATOR, eve.id, (locked) => seen.push(locked));
    expectEqual(seen.at(-1), null);
    expectEqual([removed.auditEntries, removed.storedResponses], [3, 1]);
    const [entry] = await entriesOf(world, eve);
    expectEqual([entry?.action, entry?.divisionId], ['eraseUser', division.id]);
    expectEqual(await world.audit.findUsersByName('eve'), []);
    await expectRefusal('not_found', erase(world, eve));
    expectEqual((await entriesOf(world, eve)).length, 5, 'the number of entries');
  }),

  contractCase('refuses an id under which nothing is stored', async (world) => {
    await aMember(world);
    for (const id of [world.ids.next(), 'no-uuid']) await expectRefusal('not_found', erase(world, { id }));
  }),

  contractCase('erases once for concurrent calls', async (world) => {
    const { eve } = await aMember(world);
    const raced = await outcomesOf([erase(world, eve), erase(world, eve), erase(world, eve)]);
    expectEqual([raced.values.length, raced.refused], [1, ['not_found', 'not_found']]);
  }),

  contractCase('leaves nothing of concurrent logins, changes, links and creations', async (world) => {
    const { eve, lead } = await aMember(world);
    const rename = (author: Author, target: User) =>
      world.users.write(author, { id: target.id }, (locked) => {
        requirePresent(locked);
        return decideChange(locked, { values: { username: `renamed-${target.username}` } });
      });
    const idempotency = { key: 'key-2', request: 'a request' };
    const create = (author: Author, user: User) =>
      world.users.create(author, asNewUser(user), (actor) => requirePresent({ actor }), idempotency);
    const work = () => [
      aSession(world, eve, visitorHash),
      rename(by(lead), eve),
      rename(by(eve, 'request-3'), lead),
      create(by(eve, 'request-4'), aUser().of(lead.division)),
      world.passwordLinks.create(by(eve), { userId: lead.id, digest: aDigest(), lifetime: 3600 }, requirePresent),
      world.passwordLinks.create(by(lead), { userId: eve.id, digest: aDigest(), lifetime: 3600 }, requirePresent),
      storeToken(world, aToken(world, eve)),
    ];
    await Promise.allSettled([...work(), erase(world, eve), ...work()]);
    await expectNoData(world, eve);
    const isErased = (entry: AuditEntry): boolean =>
      entry.requestId === null &&
      (entry.authorId !== eve.id || entry.authorName === ERASED_NAME) &&
      (entry.targetId !== eve.id || !hasValues(entry));
    const others = (await entriesOf(world, eve)).filter((entry) => !isErased(entry));
    expectEqual(others, []);
    expectEqual(await world.audit.findUsersByName('renamed-eve'), []);
  }),
];
