import type { NewPersonalToken } from '../../model/personal-token.ts';
import { type Author, actorOf, addSeconds, OPERATOR, type User } from '../../model/user.ts';
import { decideTokenCreation, decideTokenEnd, type TokenCreation } from '../../writes/credential-writes.ts';
import { aLeader, aUser } from '../builders/builders.ts';
import { changeUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, aVisitor, deactivateOnly, visitorHash } from './a-session.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { by, entriesOf, HOUR_SECONDS, refuse } from './fixtures.ts';

/** Returns a token of a user for an hour, which is not stored. */
export const aToken = ({ clock, ids }: World, user: Pick<User, 'id'>, values: Partial<NewPersonalToken> = {}) => {
  const [id, expiresAt] = [ids.next(), addSeconds(clock.now(), HOUR_SECONDS)];
  return { id, userId: user.id, name: 'script', digest: aDigest(), isReadOnly: false, expiresAt, ...values };
};

/** Stores a token as the operator. */
export const storeToken = async (world: World, token: NewPersonalToken, author: Author = OPERATOR) => {
  await world.personalTokens.create(author, token, (locked) => decideTokenCreation(OPERATOR, locked, token));
  return token;
};

const end = ({ personalTokens }: World, { id, userId }: NewPersonalToken, author: Author = OPERATOR) =>
  personalTokens.end(author, { id, userId }, (locked) => decideTokenEnd(OPERATOR, locked));

const works = async ({ personalTokens }: World, { digest }: NewPersonalToken): Promise<boolean> =>
  (await personalTokens.use(digest)) !== null;

const shown = ({ id, name, isReadOnly, expiresAt }: NewPersonalToken) => ({ id, name, isReadOnly, expiresAt });

/** The day of a use is stored soon after it. */
const isUsedOn = async ({ personalTokens }: World, { id, userId }: NewPersonalToken, day: string): Promise<boolean> => {
  for (let look = 0; look < 1000; look++) {
    const found = (await personalTokens.list(userId)).find((one) => one.id === id);
    if (found?.lastUsedOn === day) return true;
  }
  return false;
};

/** Contract cases for every store of personal access tokens. */
export const personalTokensContract: readonly ContractCase[] = [
  contractCase('stores, lists and ends tokens with an audit entry each, newest first', async (world) => {
    const ada = await storeUser(world, aUser());
    // The time of creation decides about the order, even if it is not that of the ids.
    const token = aToken(world, ada, { isReadOnly: true, name: 'nightly 😀' });
    const stranger = await storeToken(world, aToken(world, await storeUser(world, aUser())));
    const first = await storeToken(world, aToken(world, ada), by(ada, 'r'));
    const same = await storeToken(world, aToken(world, ada));
    const [createdAt, lastUsedOn] = [world.clock.now(), null];
    world.clock.advance(1);
    const newest = { ...shown(token), createdAt: world.clock.now(), lastUsedOn };
    const decide = (locked: TokenCreation) => decideTokenCreation(OPERATOR, locked, token);
    expectEqual(await world.personalTokens.create(by(ada), token, decide), newest);
    const older = [first, same].map((one) => Object.assign(shown(one), { createdAt, lastUsedOn }));
    expectEqual(await world.personalTokens.list(ada.id), [newest, ...older.toReversed()]);
    await end(world, first, by(ada, 's'));
    expectEqual(await world.personalTokens.list(ada.id), [newest, ...older.slice(1)]);
    expectEqual([await works(world, first), await works(world, stranger)], [false, true]);
    const entries = (await entriesOf(world, ada)).map(({ action, at, requestId }) => [action, at, requestId]);
    expectEqual(entries[0], ['endAccessToken', world.clock.now(), 's']);
    expectEqual(entries[3], ['createAccessToken', createdAt, 'r']);
    for (const none of [world.ids.next(), 'no-uuid']) expectEqual(await world.personalTokens.list(none), []);
  }),

  contractCase('returns the token of a digest with the rights of its user, and stores the day', async (world) => {
    const ada = await storeUser(world, aLeader());
    const [token, other] = [await storeToken(world, aToken(world, ada, { isReadOnly: true })), aToken(world, ada)];
    await storeToken(world, { ...other, expiresAt: addSeconds(world.clock.now(), 3 * 24 * HOUR_SECONDS) });
    await changeUser(world, ada.id, { username: 'renamed', groups: ['Guest'] });
    const { id } = ada;
    const actor = actorOf({ ...ada, username: 'renamed', groups: ['Guest'] });
    expectEqual(await world.personalTokens.use(token.digest), { id: token.id, isReadOnly: true, actor });
    expectEqual(await isUsedOn(world, token, world.clock.now().slice(0, 10)), true, 'the day of the use is stored');
    expectEqual((await world.personalTokens.list(id)).find((one) => one.id === other.id)?.lastUsedOn, null);
    for (const day of ['the first day is stored', 'the next day is stored']) {
      expectEqual(await works(world, other), true);
      expectEqual(await isUsedOn(world, other, world.clock.now().slice(0, 10)), true, day);
      world.clock.advance(24 * HOUR_SECONDS);
    }
    expectEqual(await world.personalTokens.use(aDigest()), null);
  }),

  contractCase('treats expired tokens as absent', async (world) => {
    const ada = await storeUser(world, aUser());
    const token = await storeToken(world, aToken(world, ada));
    world.clock.advance(HOUR_SECONDS - 1);
    expectEqual(await works(world, token), true);
    world.clock.advance(1);
    expectEqual([await works(world, token), await world.personalTokens.list(ada.id)], [false, []]);
    await expectRefusal('not_found', end(world, token));
    const counts: number[] = [];
    const counted = world.personalTokens.create(OPERATOR, aToken(world, ada), ({ count }) => {
      counts.push(count);
      return refuse();
    });
    await expectRefusal('forbidden', counted);
    expectEqual([counts, await world.personalTokens.list(ada.id)], [[0], []]);
  }),

  contractCase('finds no tokens of others or unknown ids, and keeps a token whose end is refused', async (world) => {
    const [ada, eve] = [await storeUser(world, aUser()), await storeUser(world, aUser())];
    const token = await storeToken(world, aToken(world, ada));
    const unknown = [world.ids.next(), 'no-uuid'];
    for (const which of [{ userId: eve.id }, { userId: world.ids.next() }, ...unknown.map((id) => ({ id }))]) {
      await expectRefusal('not_found', end(world, { ...token, ...which }));
    }
    await expectRefusal('forbidden', world.personalTokens.end(by(ada), token, refuse));
    for (const id of unknown) await expectRefusal('not_found', storeToken(world, aToken(world, { ...ada, id })));
    expectEqual(await works(world, token), true);
  }),

  contractCase('refuses tokens of inactive users, and ends those of a user as decided', async (world) => {
    const [ada, eve] = [await storeUser(world, aUser()), await storeUser(world, aUser())];
    const [token, kept] = [await storeToken(world, aToken(world, ada)), await storeToken(world, aToken(world, eve))];
    // Release 0.1.0 deactivates users without ending their tokens.
    await deactivateOnly(world, ada, { endsTokens: false });
    expectEqual(await works(world, token), false, 'a token of an inactive user');
    await changeUser(world, ada.id, { isActive: true });
    expectEqual([await works(world, token), await world.personalTokens.list(ada.id)], [false, []]);
    expectEqual(await works(world, kept), true);
  }),

  contractCase('lists the active sessions of the user at the time of the decision', async (world) => {
    const { id, user } = await aVisitor(world);
    await aVisitor(world);
    const { id: later } = await aSession(world, user, visitorHash);
    await aSession(world, user, visitorHash, { sessionLifetime: 0 });
    const sessionsNow = async () => {
      let found: readonly string[] = [];
      const refused = world.personalTokens.create(by(user), aToken(world, user), ({ sessions }) => {
        found = sessions;
        return refuse();
      });
      await expectRefusal('forbidden', refused);
      return found.toSorted();
    };
    expectEqual(await sessionsNow(), [id, later].toSorted());
    await world.sessions.endOne(id, user.id);
    expectEqual(await sessionsNow(), [later]);
    await changeUser(world, user.id, {}, { passwordHash: 'a new hash' });
    expectEqual(await sessionsNow(), []);
  }),

  contractCase('counts the tokens of concurrent creations', async (world) => {
    const ada = await storeUser(world, aUser());
    for (let tokens = 1; tokens < 20; tokens++) await storeToken(world, aToken(world, ada));
    const { refused, values } = await outcomesOf([1, 2, 3].map(() => storeToken(world, aToken(world, ada))));
    expectEqual([values.length, refused], [1, ['too_many_tokens', 'too_many_tokens']]);
    expectEqual((await world.personalTokens.list(ada.id)).length, 20);
  }),
];
