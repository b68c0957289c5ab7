import { addSeconds } from '../../model/user.ts';
import { aUser } from '../builders/builders.ts';
import { changeUser, deleteUser, storeUser } from '../builders/store.ts';
import { aSession, aVisitor, isAlive, rotate, visitorHash, withFamily } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { ownSessions } from './own-sessions.ts';
import { tokensRotated } from './refresh-tokens.ts';

const sessionsStarted: readonly ContractCase[] = [
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
];

const sessionsEnded: readonly ContractCase[] = [
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
];

/** Contract cases for every session repository. */
export const sessionRepositoryContract: readonly ContractCase[] = [
  ...sessionsStarted,
  ...tokensRotated,
  ...sessionsEnded,
  ...ownSessions,
];
