import { userAudit } from '../../model/audit-entry.ts';
import { addSeconds, OPERATOR, type User } from '../../model/user.ts';
import { aUser } from '../builders/builders.ts';
import { changeUser, deleteUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aSession, aVisitor, isAlive, LIFETIME, rotate, visitorHash, withFamily } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal } from './expect.ts';
import { entriesOf } from './fixtures.ts';
import { tokensRotated } from './refresh-tokens.ts';

const listed = async (world: World, { id }: User): Promise<readonly string[]> =>
  (await world.sessions.list(id)).map((session) => session.id);

const LIMIT = 100;

/** Contract cases for the sessions that a user can list and end. */
const ownSessions: readonly ContractCase[] = [
  contractCase('lists the sessions of a user with their times and user agents, newest first', async (world) => {
    const { user, id, digest, times } = await aVisitor(world);
    const startedAt = world.clock.now();
    world.clock.advance(1);
    const second = await aSession(world, user, visitorHash, { userAgent: 'Mozilla/5.0 😀' });
    const createdAt = world.clock.now();
    const start = { createdAt, refreshedAt: createdAt, expiresAt: second.times?.expiresAt ?? '' };
    const newest = { id: second.id, ...start, userAgent: 'Mozilla/5.0 😀' };
    const expiresAt = times?.expiresAt ?? '';
    const oldest = { id, createdAt: startedAt, refreshedAt: startedAt, expiresAt, userAgent: null };
    expectEqual(await world.sessions.list(user.id), [newest, oldest]);
    world.clock.advance(1);
    const { rotated } = await rotate(world, digest);
    const refreshed = { refreshedAt: world.clock.now(), expiresAt: rotated?.expiresAt ?? '' };
    expectEqual(await world.sessions.list(user.id), [newest, { ...oldest, ...refreshed }]);
  }),

  contractCase('does not count a refused refresh', async (world) => {
    const { user, digest } = await aVisitor(world);
    const before = await world.sessions.list(user.id);
    world.clock.advance(1);
    await rotate(world, digest, { sessionLifetime: 1 });
    expectEqual(await world.sessions.list(user.id), before);
  }),

  contractCase('lists neither ended or expired sessions nor those of other users', async (world) => {
    const { user, digest } = await aVisitor(world);
    const stranger = await aVisitor(world);
    await world.sessions.end(withFamily(digest));
    expectEqual([await listed(world, user), await listed(world, stranger.user)], [[], [stranger.id]]);
    world.clock.advance(LIFETIME - 1);
    expectEqual(await listed(world, stranger.user), [stranger.id]);
    world.clock.advance(1);
    expectEqual(await listed(world, stranger.user), []);
    expectEqual(await world.sessions.list(world.ids.next()), []);
    expectEqual(await world.sessions.list('no-uuid'), []);
  }),

  contractCase('ends one session of a user by its id, with its tokens, and no other', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const second = await aSession(world, user, visitorHash);
    expectEqual(await world.sessions.endOne(id, user.id), true);
    expectEqual([await isAlive(world, user, id), await isAlive(world, user, second.id)], [false, true]);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await world.sessions.endOne(id, user.id), false, 'ending a session that has ended');
  }),

  contractCase('ends no session of another user', async (world) => {
    const { user, id } = await aVisitor(world);
    const stranger = await storeUser(world, aUser(), visitorHash);
    for (const owner of [stranger.id, world.ids.next(), 'no-uuid']) {
      expectEqual(await world.sessions.endOne(id, owner), false);
    }
    for (const unknown of [world.ids.next(), 'no-uuid', '']) {
      expectEqual(await world.sessions.endOne(unknown, user.id), false);
    }
    expectEqual(await isAlive(world, user, id), true);
    world.clock.advance(LIFETIME);
    expectEqual(await world.sessions.endOne(id, user.id), false, 'ending an expired session');
  }),

  contractCase('finds the user of an active session, and of no other', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    expectEqual(await world.sessions.findOwner(id), user.id);
    for (const unknown of [world.ids.next(), 'no-uuid']) expectEqual(await world.sessions.findOwner(unknown), null);
    await world.sessions.end(withFamily(digest));
    expectEqual(await world.sessions.findOwner(id), null);
    const expired = await aSession(world, user, visitorHash);
    world.clock.advance(LIFETIME);
    expectEqual(await world.sessions.findOwner(expired.id), null);
  }),

  contractCase('ends one session of a user, or all, for the operator and writes an entry for each', async (world) => {
    const { user, id } = await aVisitor(world);
    const [second, third] = [await aSession(world, user, visitorHash), await aSession(world, user, visitorHash)];
    const stranger = await aVisitor(world);
    expectEqual(await world.users.endSessions(OPERATOR, user.id, stranger.id), 0, 'sessions of another user');
    expectEqual(await world.users.endSessions(OPERATOR, user.id, id), 1);
    expectEqual(await world.users.endSessions(OPERATOR, user.id, id), 0, 'sessions that have ended');
    expectEqual(await listed(world, user), [second.id, third.id].toSorted().toReversed());
    expectEqual(await world.users.endSessions(OPERATOR, user.id, null), 2);
    expectEqual(await world.users.endSessions(OPERATOR, user.id, null), 0);
    expectEqual([await listed(world, user), await listed(world, stranger.user)], [[], [stranger.id]]);
    expectEqual(await world.users.find(user.id), user);
    const [all, one, ...others] = await entriesOf(world, user);
    expectEqual(others.length, 1, 'the number of further entries');
    const byOperator = { at: world.clock.now(), author: OPERATOR };
    expectEntry(all, { ...byOperator, ...userAudit('endSessions', user, { sessions: { old: 2, new: 0 } }) });
    expectEntry(one, { ...byOperator, ...userAudit('endSessions', user, { session: { old: id, new: null } }) });
  }),

  contractCase('counts only active sessions when it ends all, and refuses the tokens of all', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    world.clock.advance(LIFETIME - 1);
    const second = await aSession(world, user, visitorHash);
    world.clock.advance(1);
    expectEqual(await world.users.endSessions(OPERATOR, user.id, null), 1);
    expectEqual([await isAlive(world, user, id), await isAlive(world, user, second.id)], [false, false]);
    for (const token of [digest, second.digest]) expectEqual((await rotate(world, token)).rotated, null);
    expectEqual((await aSession(world, user, visitorHash)).started, true);
  }),

  contractCase('refuses to end the sessions of a user who does not exist', async (world) => {
    for (const unknown of [world.ids.next(), 'no-uuid']) {
      await expectRefusal('not_found', world.users.endSessions(OPERATOR, unknown, null));
    }
  }),

  contractCase('ends the least recently refreshed session when a login exceeds the limit', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const stranger = await aVisitor(world);
    world.clock.advance(1);
    const second = await aSession(world, user, visitorHash);
    world.clock.advance(1);
    const third = await aSession(world, user, visitorHash);
    for (let sessions = 3; sessions < LIMIT; sessions++) await aSession(world, user, visitorHash);
    world.clock.advance(1);
    await rotate(world, digest);
    expectEqual((await listed(world, user)).length, LIMIT);
    expectEqual(await isAlive(world, user, second.id), true, 'the second session at the limit');
    const beyond = await aSession(world, user, visitorHash);
    const states = [beyond.id, id, second.id, third.id].map((session) => isAlive(world, user, session));
    expectEqual(await Promise.all(states), [true, true, false, true]);
    expectEqual((await rotate(world, second.digest)).rotated, null);
    expectEqual((await listed(world, user)).length, LIMIT);
    expectEqual(await isAlive(world, stranger.user, stranger.id), true);
  }),

  contractCase('does not count expired sessions', async (world) => {
    const { user, id } = await aVisitor(world);
    for (let sessions = 1; sessions < LIMIT; sessions++) {
      await aSession(world, user, visitorHash, { lifetime: LIFETIME - 1 });
    }
    world.clock.advance(LIFETIME - 1);
    const second = await aSession(world, user, visitorHash);
    expectEqual(await listed(world, user), [second.id, id]);
  }),

  contractCase('enforces the limit for concurrent logins', async (world) => {
    const { user } = await aVisitor(world);
    for (let sessions = 1; sessions < LIMIT; sessions++) await aSession(world, user, visitorHash);
    world.clock.advance(1);
    const sessions = await Promise.all([1, 2, 3, 4, 5].map(() => aSession(world, user, visitorHash)));
    const active = await listed(world, user);
    expectEqual(active.length, LIMIT);
    const newest = sessions.map(({ id }) => id).toSorted();
    expectEqual(active.slice(0, 5), newest.toReversed());
  }),
];

/** Contract cases for every session repository. */
export const sessionRepositoryContract: readonly ContractCase[] = [
  contractCase('expires the first token with the session if the session ends earlier', async (world) => {
    const user = await storeUser(world, aUser(), visitorHash);
    const { id, digest, times } = await aSession(world, user, visitorHash, { lifetime: 100, sessionLifetime: 60 });
    const [storedAt, end] = [world.clock.now(), addSeconds(world.clock.now(), 60)];
    expectEqual(times, { storedAt, expiresAt: end, sessionEndsAt: end });
    world.clock.advance(59);
    expectEqual(await isAlive(world, user, id), true, 'the session a second before its end');
    world.clock.advance(1);
    expectEqual(await isAlive(world, user, id), false, 'the session at its end');
    expectEqual((await rotate(world, digest)).rotated, null);
  }),

  contractCase('starts no session if the password has changed since the check, or there is none', async (world) => {
    const [ada, eve] = [await storeUser(world, aUser(), visitorHash), await storeUser(world, aUser())];
    const [first, second] = [await aSession(world, ada, hashNamed('two')), await aSession(world, eve, visitorHash)];
    expectEqual([first.started, second.started], [false, false]);
    expectEqual([await isAlive(world, ada, first.id), await isAlive(world, eve, second.id)], [false, false]);
    expectEqual((await rotate(world, first.digest)).rotated, null);
  }),

  contractCase('starts no session of an inactive or deleted user', async (world) => {
    const inactive = await storeUser(world, aUser().inactive(), visitorHash);
    const deleted = await storeUser(world, aUser(), visitorHash);
    await deleteUser(world, deleted.id);
    for (const user of [inactive, deleted]) expectEqual((await aSession(world, user, visitorHash)).started, false);
  }),

  contractCase('starts no session that survives a concurrent change of the password', async (world) => {
    const ada = await storeUser(world, aUser(), visitorHash);
    const changed = changeUser(world, ada.id, {}, { passwordHash: hashNamed('two') });
    const sessions = await Promise.all([1, 2, 3, 4].map(() => aSession(world, ada, visitorHash)));
    await changed;
    const alive = await Promise.all(sessions.map(({ id }) => isAlive(world, ada, id)));
    expectEqual(alive, [false, false, false, false]);
  }),

  ...tokensRotated,

  contractCase('ends the session of a token, consumed or not, and no other', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const [second, third] = [await aSession(world, user, visitorHash), await aSession(world, user, visitorHash)];
    const { nextDigest } = await rotate(world, digest);
    await world.sessions.end(withFamily(digest));
    for (let times = 0; times < 2; times += 1) await world.sessions.end(withFamily(second.digest));
    expectEqual([await isAlive(world, user, id), await isAlive(world, user, second.id)], [false, false]);
    expectEqual((await rotate(world, nextDigest)).rotated, null);
    expectEqual((await rotate(world, second.digest)).rotated, null);
    expectEqual(await isAlive(world, user, third.id), true);
  }),

  ...ownSessions,
];
