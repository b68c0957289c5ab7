import { OPERATOR } from '../../actor.ts';
import type { Rotation } from '../../ports/session-repository.ts';
import { REFRESH_TOKEN_RULES } from '../../refresh-token-rules.ts';
import { later } from '../../session.ts';
import type { User } from '../../user.ts';
import { aUser } from '../builders.ts';
import { settle } from '../settle.ts';
import type { World } from '../world.ts';
import { aDigest, aSession, LIFETIME } from './a-session.ts';
import { type ContractCase, hashNamed, promise } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';

const one = hashNamed('one');
const { graceSeconds: GRACE, repeats: REPEATS } = REFRESH_TOKEN_RULES;
const SESSION_LIFETIME = 90 * 24 * 60 * 60;

const rotate = async (world: World, digest: string, more: Partial<Rotation> = {}) => {
  const [now, nextDigest] = [world.clock.now(), aDigest()];
  const rotation = { digest, nextDigest, now, lifetime: LIFETIME, sessionLifetime: SESSION_LIFETIME, ...more };
  return { nextDigest, rotated: await world.sessions.rotate(rotation) };
};

/** A stored user with a session. */
const aVisitor = async (world: World) => {
  const user = await settle(world, aUser(), one);
  return { user, ...(await aSession(world, user, one)) };
};

const lives = async ({ actors }: World, user: User, sessionId: string) =>
  (await actors.find(user.id, sessionId)) !== null;

const change = (world: World, { id }: User, values: Partial<User>, endsSessions = false) =>
  world.users.update(OPERATOR, id, ({ user }) => ({ user: { ...user, ...values }, endsSessions }));

const sessionsBegun: readonly ContractCase[] = [
  promise('begins a session of an active user whose password was checked', async (world) => {
    const { user, id, started } = await aVisitor(world);
    expectEqual([started, await lives(world, user, id)], [true, true]);
  }),

  promise('begins none with another password than was checked, or without any', async (world) => {
    const [ada, eve] = [await settle(world, aUser(), one), await settle(world, aUser())];
    const [first, second] = [await aSession(world, ada, hashNamed('two')), await aSession(world, eve, one)];
    expectEqual([first.started, second.started], [false, false]);
    expectEqual([await lives(world, ada, first.id), await lives(world, eve, second.id)], [false, false]);
    expectEqual((await rotate(world, first.digest)).rotated, null);
  }),

  promise('begins none for the inactive or for one who is gone', async (world) => {
    const [ada, eve] = [await settle(world, aUser().inactive(), one), await settle(world, aUser(), one)];
    await world.users.delete(OPERATOR, eve.id, () => {});
    expectEqual([(await aSession(world, ada, one)).started, (await aSession(world, eve, one)).started], [false, false]);
  }),

  promise('begins none that outlives a password that is changed at the same moment', async (world) => {
    const ada = await settle(world, aUser(), one);
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

const tokensRotated: readonly ContractCase[] = [
  promise('gives the session and the user for a refresh token, and takes the next one then', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const first = await rotate(world, digest);
    const now = world.clock.now();
    const expected = {
      sessionId: id,
      user,
      expiresAt: later(now, LIFETIME),
      sessionEndsAt: later(now, SESSION_LIFETIME),
    };
    expectEqual(first.rotated, expected);
    expectEqual((await rotate(world, first.nextDigest)).rotated, expected);
  }),

  promise('gives the user as stored now', async (world) => {
    const { user, digest } = await aVisitor(world);
    const changed = await change(world, user, { groups: ['Guest'], username: 'renamed' });
    expectEqual((await rotate(world, digest)).rotated?.user, changed);
  }),

  promise('gives null for a token that it does not know', async (world) => {
    await aVisitor(world);
    expectEqual((await rotate(world, aDigest())).rotated, null);
  }),

  promise('gives another pair of the same session for a spent token, until the grace is over', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const first = await rotate(world, digest);
    world.clock.advance(GRACE / 2);
    const second = await rotate(world, digest);
    world.clock.advance(GRACE / 2);
    const third = await rotate(world, digest);
    expectEqual([second.rotated?.sessionId, third.rotated?.sessionId], [id, id]);
    for (const { nextDigest } of [first, second, third]) {
      expectEqual((await rotate(world, nextDigest)).rotated?.sessionId, id);
    }
    expectEqual(await lives(world, user, id), true);
  }),

  promise('ends the session, with all its tokens, when a token is used after its grace', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const first = await rotate(world, digest);
    // The grace counts from the first use on, not from the last.
    world.clock.advance(GRACE - 1);
    const second = await rotate(world, digest);
    world.clock.advance(1.001);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await lives(world, user, id), false);
    for (const spent of [first.nextDigest, second.nextDigest, digest]) {
      expectEqual((await rotate(world, spent)).rotated, null);
    }
  }),

  promise('takes a consumed token five times more, and ends the session at the sixth', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    for (let time = 0; time <= REPEATS; time++) expectEqual((await rotate(world, digest)).rotated?.sessionId, id);
    expectEqual(await lives(world, user, id), true, 'the session after five repeats');
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await lives(world, user, id), false, 'the session after the sixth');
  }),

  promise('consumes all siblings with the first of them, from which on their grace counts', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const [first, second] = [await rotate(world, digest), await rotate(world, digest)];
    await rotate(world, first.nextDigest);
    world.clock.advance(GRACE);
    expectEqual((await rotate(world, second.nextDigest)).rotated?.sessionId, id, 'a sibling within the grace');
    world.clock.advance(0.001);
    expectEqual((await rotate(world, second.nextDigest)).rotated, null);
    expectEqual(await lives(world, user, id), false);
  }),

  promise('consumes a token that is issued after the first use of its siblings', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const first = await rotate(world, digest);
    await rotate(world, first.nextDigest);
    world.clock.advance(GRACE);
    const late = await rotate(world, digest);
    expectEqual((await rotate(world, late.nextDigest)).rotated?.sessionId, id, 'the late token within the grace');
    world.clock.advance(0.001);
    expectEqual((await rotate(world, late.nextDigest)).rotated, null);
    expectEqual(await lives(world, user, id), false);
  }),

  promise('makes siblings of what is issued for siblings', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const [thief, victim] = [await rotate(world, digest), await rotate(world, digest)];
    const [thiefNext, victimNext] = [await rotate(world, thief.nextDigest), await rotate(world, victim.nextDigest)];
    await rotate(world, thiefNext.nextDigest);
    world.clock.advance(GRACE + 1);
    expectEqual((await rotate(world, victimNext.nextDigest)).rotated, null);
    expectEqual(await lives(world, user, id), false);
  }),

  promise('goes on for two tabs that share what the last of them stored', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    let stored = digest;
    for (let turn = 0; turn < 4; turn++) {
      const [, last] = [await rotate(world, stored), await rotate(world, stored)];
      expectEqual(last.rotated?.sessionId, id);
      stored = last.nextDigest;
      world.clock.advance(900);
    }
    expectEqual(await lives(world, user, id), true);
  }),

  promise('ends a session at its absolute end, however often it is refreshed', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const sessionLifetime = LIFETIME + 100;
    world.clock.advance(LIFETIME - 1);
    const first = await rotate(world, digest, { sessionLifetime });
    expectEqual(first.rotated?.expiresAt, later(world.clock.now(), 101));
    expectEqual(first.rotated?.sessionEndsAt, first.rotated?.expiresAt);
    world.clock.advance(100);
    const second = await rotate(world, first.nextDigest, { sessionLifetime });
    expectEqual(second.rotated?.expiresAt, later(world.clock.now(), 1));
    world.clock.advance(1);
    expectEqual((await rotate(world, second.nextDigest, { sessionLifetime })).rotated, null);
    expectEqual(await lives(world, user, id), false);
  }),

  promise('ends a session at once that is older than the absolute end allows now', async (world) => {
    const { digest } = await aVisitor(world);
    world.clock.advance(100);
    expectEqual((await rotate(world, digest, { sessionLifetime: 100 })).rotated, null);
  }),

  promise('ends no other session with it', async (world) => {
    const { user, digest } = await aVisitor(world);
    const other = await aSession(world, user, one);
    await rotate(world, digest);
    world.clock.advance(GRACE + 1);
    await rotate(world, digest);
    expectEqual(await lives(world, user, other.id), true);
    expectEqual((await rotate(world, other.digest)).rotated?.sessionId, other.id);
  }),

  promise('takes a token until the moment it expires, and its session lives as long', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    world.clock.advance(LIFETIME - 1);
    expectEqual(await lives(world, user, id), true, 'the session a second before');
    const { rotated, nextDigest } = await rotate(world, digest);
    expectEqual(rotated?.sessionId, id);
    world.clock.advance(1);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await lives(world, user, id), true, 'the session of the next token');
    world.clock.advance(LIFETIME - 1);
    expectEqual((await rotate(world, nextDigest)).rotated, null);
    expectEqual(await lives(world, user, id), false, 'the session in the end');
  }),

  promise('lets each session expire alone', async (world) => {
    const { user, id } = await aVisitor(world);
    world.clock.advance(LIFETIME / 2);
    const second = await aSession(world, user, one);
    world.clock.advance(LIFETIME / 2);
    expectEqual([await lives(world, user, id), await lives(world, user, second.id)], [false, true]);
  }),

  promise('gives null for the token of an inactive user', async (world) => {
    const { user, digest } = await aVisitor(world);
    await change(world, user, { isActive: false });
    expectEqual((await rotate(world, digest)).rotated, null);
  }),

  promise('gives each of those who use a token at once a pair of the one session', async (world) => {
    const { id, digest } = await aVisitor(world);
    const pairs = await Promise.all([1, 2, 3, 4].map(() => rotate(world, digest)));
    expectEqual(
      pairs.map(({ rotated }) => rotated?.sessionId),
      [id, id, id, id],
    );
    const next = await Promise.all(pairs.map(({ nextDigest }) => rotate(world, nextDigest)));
    expectEqual(
      next.map(({ rotated }) => rotated?.sessionId),
      [id, id, id, id],
    );
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
    const { username } = await settle(world, aUser());
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
];
