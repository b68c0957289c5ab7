import { OPERATOR } from '../../model/user.ts';
import { later } from '../../use-cases/steps/session.ts';
import { aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import { aDigest, aSession, aVisitor, change, LIFETIME, lives, one, rotate, SESSION_LIFETIME } from './a-session.ts';
import { type ContractCase, hashNamed, promise } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';
import { ownSessions } from './own-sessions.ts';
import { tokensRotated } from './refresh-tokens-rotated.ts';

const sessionsBegun: readonly ContractCase[] = [
  promise('begins a session of an active user whose password was checked', async (world) => {
    const { user, id, started } = await aVisitor(world);
    expectEqual([started, await lives(world, user, id)], [true, true]);
  }),

  promise(
    'tells when the first token was stored and expires, and when the session ends at the latest',
    async (world) => {
      const user = await storeUser(world, aUser(), one);
      const { times } = await aSession(world, user, one);
      const now = world.clock.now();
      const ends = { expiresAt: later(now, LIFETIME), sessionEndsAt: later(now, SESSION_LIFETIME) };
      expectEqual(times, { storedAt: now, ...ends });
    },
  ),

  promise('lets the first token and the session expire together where the session ends earlier', async (world) => {
    const user = await storeUser(world, aUser(), one);
    const { id, digest, times } = await aSession(world, user, one, { lifetime: 100, sessionLifetime: 60 });
    expectEqual(times?.expiresAt, later(world.clock.now(), 60));
    world.clock.advance(59);
    expectEqual(await lives(world, user, id), true, 'the session a second before');
    world.clock.advance(1);
    expectEqual(await lives(world, user, id), false, 'the session in the end');
    expectEqual((await rotate(world, digest)).rotated, null);
  }),

  promise('begins none with another password than was checked, or without any', async (world) => {
    const [ada, eve] = [await storeUser(world, aUser(), one), await storeUser(world, aUser())];
    const [first, second] = [await aSession(world, ada, hashNamed('two')), await aSession(world, eve, one)];
    expectEqual([first.started, second.started], [false, false]);
    expectEqual([await lives(world, ada, first.id), await lives(world, eve, second.id)], [false, false]);
    expectEqual((await rotate(world, first.digest)).rotated, null);
  }),

  promise('begins none for the inactive or for one who is gone', async (world) => {
    const [ada, eve] = [await storeUser(world, aUser().inactive(), one), await storeUser(world, aUser(), one)];
    await world.users.delete(OPERATOR, eve.id, () => {});
    expectEqual([(await aSession(world, ada, one)).started, (await aSession(world, eve, one)).started], [false, false]);
  }),

  promise('begins none that outlives a password that is changed at the same moment', async (world) => {
    const ada = await storeUser(world, aUser(), one);
    const changed = world.users.update(OPERATOR, ada.id, ({ user }) => ({
      user,
      passwordHash: hashNamed('two'),
      endsSessions: true,
    }));
    const sessions = await Promise.all([1, 2, 3, 4].map(() => aSession(world, ada, one)));
    await changed;
    const living = await Promise.all(sessions.map(({ id }) => lives(world, ada, id)));
    expectEqual(living, [false, false, false, false]);
  }),
];

const sessionsEnded: readonly ContractCase[] = [
  promise('ends the session of a token, spent or not, and no other', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const [second, third] = [await aSession(world, user, one), await aSession(world, user, one)];
    const { nextDigest } = await rotate(world, digest);
    await world.sessions.end(digest);
    await world.sessions.end(second.digest);
    expectEqual([await lives(world, user, id), await lives(world, user, second.id)], [false, false]);
    expectEqual((await rotate(world, nextDigest)).rotated, null);
    expectEqual((await rotate(world, second.digest)).rotated, null);
    expectEqual(await lives(world, user, third.id), true);
  }),

  promise('does nothing for a token that it does not know, or whose session has ended', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    await world.sessions.end(aDigest());
    expectEqual(await lives(world, user, id), true);
    await world.sessions.end(digest);
    await world.sessions.end(digest);
    expectEqual(await lives(world, user, id), false);
  }),

  promise('ends every session of a user with a change that says so, and with no other', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const second = await aSession(world, user, one);
    const stranger = await aVisitor(world);
    await change(world, user, { firstName: 'Ada', groups: [] });
    expectEqual([await lives(world, user, id), await lives(world, user, second.id)], [true, true]);
    await change(world, user, { firstName: 'Eve' }, true);
    expectEqual([await lives(world, user, id), await lives(world, user, second.id)], [false, false]);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await lives(world, stranger.user, stranger.id), true);
    expectEqual((await aSession(world, user, one)).started, true);
  }),

  promise('ends no session with a change that is refused', async (world) => {
    const { user, id } = await aVisitor(world);
    const { username } = await storeUser(world, aUser());
    await expectRefusal('username_taken', change(world, user, { username }, true));
    expectEqual(await lives(world, user, id), true);
  }),

  promise('ends every session of a user who is deleted', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const stranger = await aVisitor(world);
    await world.users.delete(OPERATOR, user.id, () => {});
    expectEqual(await lives(world, user, id), false);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await lives(world, stranger.user, stranger.id), true);
  }),
];

/** What every session repository promises. */
export const sessionRepositoryContract: readonly ContractCase[] = [
  ...sessionsBegun,
  ...tokensRotated,
  ...sessionsEnded,
  ...ownSessions,
];
