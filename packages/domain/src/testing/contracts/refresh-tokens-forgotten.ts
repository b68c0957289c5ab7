import { addSeconds } from '../../use-cases/steps/session.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, aVisitor, isAlive, LIFETIME, rotate, visitorHash, withFamily } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, expectRefusal } from './expect.ts';
import { HOUR_SECONDS } from './fixtures.ts';

const REFRESHES_PER_HOUR = 60;

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

/** Contract cases for tokens that need not be stored any more, and for the limit of refreshes. */
export const tokensForgotten: readonly ContractCase[] = [
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

  contractCase('ends the session of a token that was consumed and then expired', async (world) => {
    const { user, id, digest } = await aVisitor(world);
    const digests = await refreshTimes(world, digest, 3, LIFETIME / 2);
    expectEqual((await rotate(world, digests[0] ?? '')).rotated, null);
    expectEqual(await isAlive(world, user, id), false);
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

  contractCase('does not count repeats, and accepts them at the limit', async (world) => {
    const { id, digest } = await aVisitor(world);
    const digests = await refreshTimes(world, digest, REFRESHES_PER_HOUR - 1, 20);
    const last = digests.at(-1) ?? '';
    const pairs = [await rotate(world, last), await rotate(world, last), await rotate(world, last)];
    expectEqual(
      pairs.map(({ rotated }) => rotated?.sessionId),
      [id, id, id],
    );
    for (const { nextDigest } of pairs) await expectRefusal('rate_limited', rotate(world, nextDigest));
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
];
