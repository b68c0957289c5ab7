import { addSeconds } from '../../model/user.ts';
import { aUser } from '../builders/builders.ts';
import { changeUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, aVisitor, isAlive, LIFETIME, rotate, visitorHash, withFamily } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';
import { HOUR_SECONDS } from './fixtures.ts';

const REFRESHES_PER_HOUR = 60;
const GRACE_SECONDS = 10;
const REPEATS = 5;

/** Refreshes a session repeatedly, each time with the newest token after a pause. Returns the digests of all its tokens. */
const refreshTimes = async (world: World, digest: string, times: number, pauseSeconds: number) => {
  const digests = [digest];
  for (let time = 0; time < times; time++) {
    const { rotated, nextDigest } = await rotate(world, digests.at(-1) ?? '');
    expectEqual(rotated === null, false, `whether refresh ${time} is refused`);
    digests.push(nextDigest);
    world.clock.advance(pauseSeconds);
  }
  return digests;
};

/** Contract cases for the exchange of refresh tokens: tokens that need not be stored any more, limits, grace and siblings. */
export const tokensRotated: readonly ContractCase[] = [
  contractCase('ends the session of a token that was consumed long ago, and no other session', async (world) => {
    for (const which of [0, 1, 4]) {
      const { user, id, digest } = await aVisitor(world);
      const other = await aSession(world, user, visitorHash);
      const digests = await refreshTimes(world, digest, 5, 60);
      expectEqual((await rotate(world, digests[which] ?? '')).rotated, null);
      expectEqual(await isAlive(world, user, id), false, `the session after the use of token ${which}`);
      for (const ended of digests) expectEqual((await rotate(world, ended)).rotated, null);
      expectEqual((await rotate(world, other.digest)).rotated?.sessionId, other.id);
    }
  }),

  contractCase('ends no session for an unknown token of another family', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    expectEqual((await rotate(world, aDigest())).rotated, null);
    await world.sessions.end(withFamily(aDigest()));
    expectEqual(await isAlive(world, user, id), true);
    expectEqual((await rotate(world, digest)).rotated?.sessionId, id);
  }),

  contractCase('ends the session at logout with a token that was consumed long ago', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    await refreshTimes(world, digest, 3, 60);
    await world.sessions.end(withFamily(digest));
    expectEqual(await isAlive(world, user, id), false);
  }),

  contractCase('follows the family of the token that was exchanged last', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    // A token of release 0.1.0 has the family that its successors continue.
    const { nextDigest } = await rotate(world, digest, { family: 'another family' });
    expectEqual(await isAlive(world, user, id), true);
    const unknown = { digest: aDigest(), family: 'another family' };
    expectEqual((await rotate(world, unknown.digest, unknown)).rotated, null);
    expectEqual(await isAlive(world, user, id), false);
    expectEqual((await rotate(world, nextDigest)).rotated, null);
  }),

  contractCase('refreshes a session sixty times an hour, and consumes nothing beyond', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const other = await aSession(world, user, visitorHash);
    const digests = await refreshTimes(world, digest, REFRESHES_PER_HOUR, 20);
    const latest = digests.at(-1) ?? '';
    const { retryAfter } = await expectRefusal('rate_limited', rotate(world, latest));
    expectEqual(retryAfter, HOUR_SECONDS - REFRESHES_PER_HOUR * 20);
    expectEqual([await isAlive(world, user, id), (await world.sessions.list(user.id)).length], [true, 2]);
    expectEqual((await rotate(world, other.digest)).rotated?.sessionId, other.id);
    world.clock.advance(HOUR_SECONDS - REFRESHES_PER_HOUR * 20 - 1);
    await expectRefusal('rate_limited', rotate(world, latest));
    world.clock.advance(1);
    await refreshTimes(world, latest, REFRESHES_PER_HOUR, 0);
  }),

  contractCase('never shortens a session when the lifetime of tokens is shortened', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const expiresAt = addSeconds(world.clock.now(), LIFETIME);
    const { nextDigest } = await rotate(world, digest, { lifetime: 60 });
    expectEqual((await world.sessions.list(user.id))[0]?.expiresAt, expiresAt);
    world.clock.advance(30);
    await rotate(world, nextDigest, { lifetime: 60 });
    world.clock.advance(LIFETIME - 31);
    expectEqual(await isAlive(world, user, id), true, 'the session a second before it expires');
    world.clock.advance(1);
    expectEqual(await isAlive(world, user, id), false, 'the session');
  }),

  contractCase('never extends a session beyond its maximum age, and returns the user as stored now', async (world) => {
    const lifetimes = { sessionLifetime: LIFETIME - 100 };
    const user = await storeUser(world, aUser(), visitorHash);
    const { id, digest } = await aSession(world, user, visitorHash, lifetimes);
    const end = addSeconds(world.clock.now(), lifetimes.sessionLifetime);
    const ofSession = { sessionId: id, expiresAt: end, sessionEndsAt: end };
    const first = await rotate(world, digest, lifetimes);
    expectEqual(first.rotated, { ...ofSession, user, storedAt: world.clock.now() });
    world.clock.advance(60);
    const changed = await changeUser(world, user.id, { groups: ['Guest'], username: 'renamed' });
    const second = await rotate(world, first.nextDigest, lifetimes);
    expectEqual(second.rotated, { ...ofSession, user: changed, storedAt: world.clock.now() });
    expectEqual((await world.sessions.list(user.id))[0]?.expiresAt, end);
  }),

  contractCase('ends the session and all its tokens when a token is used after its grace period', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const first = await rotate(world, digest);
    // The grace period starts at the first use, not at the last.
    world.clock.advance(GRACE_SECONDS - 1);
    const second = await rotate(world, digest);
    world.clock.advance(1.001);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await isAlive(world, user, id), false);
    for (const spent of [first.nextDigest, second.nextDigest, digest]) {
      expectEqual((await rotate(world, spent)).rotated, null);
    }
  }),

  contractCase('accepts siblings five more times in all, and ends the session at the sixth', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const siblings = [await rotate(world, digest), await rotate(world, digest), await rotate(world, digest)];
    for (let time = 0; time <= REPEATS; time++) {
      const sibling = siblings[time % siblings.length]?.nextDigest ?? '';
      expectEqual((await rotate(world, sibling)).rotated?.sessionId, id);
    }
    expectEqual(await isAlive(world, user, id), true, 'the session after five repeats');
    // The sixth is another sibling than the one that was consumed first.
    expectEqual((await rotate(world, siblings[1]?.nextDigest ?? '')).rotated, null);
    expectEqual(await isAlive(world, user, id), false, 'the session after the sixth');
  }),

  contractCase('consumes all siblings at the first use of one, which also starts their grace period', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const [first, second] = [await rotate(world, digest), await rotate(world, digest)];
    await rotate(world, first.nextDigest);
    world.clock.advance(GRACE_SECONDS);
    expectEqual((await rotate(world, second.nextDigest)).rotated?.sessionId, id, 'a sibling within the grace');
    world.clock.advance(0.001);
    expectEqual((await rotate(world, second.nextDigest)).rotated, null);
    expectEqual(await isAlive(world, user, id), false);
  }),

  contractCase('issues a token as consumed if a sibling was already used', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const first = await rotate(world, digest);
    await rotate(world, first.nextDigest);
    world.clock.advance(GRACE_SECONDS);
    const late = await rotate(world, digest);
    expectEqual((await rotate(world, late.nextDigest)).rotated?.sessionId, id, 'the late token within the grace');
    world.clock.advance(0.001);
    expectEqual((await rotate(world, late.nextDigest)).rotated, null);
    expectEqual(await isAlive(world, user, id), false);
  }),

  contractCase('treats tokens issued for siblings as siblings', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const [thief, victim] = [await rotate(world, digest), await rotate(world, digest)];
    const [thiefNext, victimNext] = [await rotate(world, thief.nextDigest), await rotate(world, victim.nextDigest)];
    await rotate(world, thiefNext.nextDigest);
    world.clock.advance(GRACE_SECONDS + 1);
    expectEqual((await rotate(world, victimNext.nextDigest)).rotated, null);
    expectEqual(await isAlive(world, user, id), false);
  }),

  contractCase('accepts a token until it expires, and the session until its last token expires', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    world.clock.advance(LIFETIME - 1);
    expectEqual(await isAlive(world, user, id), true, 'the session a second before the expiry');
    const { rotated, nextDigest } = await rotate(world, digest);
    expectEqual(rotated?.sessionId, id);
    world.clock.advance(1);
    expectEqual((await rotate(world, digest)).rotated, null);
    expectEqual(await isAlive(world, user, id), true, 'the session of the next token');
    world.clock.advance(LIFETIME - 1);
    expectEqual((await rotate(world, nextDigest)).rotated, null);
    expectEqual(await isAlive(world, user, id), false, 'the session after the expiry');
  }),

  contractCase('gives six concurrent uses of a token a pair, and ends the session at the seventh', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const pairs = await Promise.all(Array.from({ length: 20 }, () => rotate(world, digest)));
    expectEqual(pairs.filter(({ rotated }) => rotated !== null).length, 1 + REPEATS);
    expectEqual(await isAlive(world, user, id), false);
  }),
];
