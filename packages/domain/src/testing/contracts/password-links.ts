import { userAudit } from '../../model/audit-entry.ts';
import { forbidden, invalidToken } from '../../model/errors.ts';
import { type Author, actorOf, addSeconds, OPERATOR, type PasswordHash, type User } from '../../model/user.ts';
import type { OpenPasswordLink } from '../../ports/passwords.ts';
import { decideRedemption } from '../../writes/user-writes.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { changeUser, deleteUser, moveUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aVisitor, isAlive, visitorHash } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { by, entriesOf, HOUR_SECONDS } from './fixtures.ts';

const two = hashNamed('two');
const set = ({ user }: OpenPasswordLink) => decideRedemption(user, two);

/** Stores a link of a user for an hour and returns its digest. */
const aLink = async ({ passwordLinks }: World, { id: userId }: Pick<User, 'id'>, author: Author = OPERATOR) => {
  const digest = aDigest();
  const expiresAt = await passwordLinks.create(author, { userId, digest, lifetime: HOUR_SECONDS }, () => {});
  return { digest, expiresAt };
};

const hashOf = async ({ credentials }: World, { id }: User) => (await credentials.find(id))?.passwordHash;

const rightsOf = (issuer?: OpenPasswordLink['issuer']) => [issuer?.groups, issuer?.isActive, issuer?.divisionId];

const failIfCalled = () => {
  throw forbidden('redeem must not call decide for a link that is not open');
};

const refuseLink = () => {
  throw invalidToken();
};

const expectClosed = async (world: World, digest: string): Promise<void> => {
  expectEqual(await world.passwordLinks.find(digest), null, 'the link');
  await expectRefusal('invalid_token', world.passwordLinks.redeem(digest, null, failIfCalled));
};

/** Contract cases for every repository of password links. */
export const passwordLinksContract: readonly ContractCase[] = [
  contractCase('stores a link with its issuer and leaves the user as they are', async (world) => {
    const ada = await storeUser(world, aLeader(), visitorHash);
    const eve = await storeUser(world, aUser().of(ada.division), visitorHash);
    const { digest, expiresAt } = await aLink(world, eve, by(ada, 'r'));
    expectEqual(expiresAt, addSeconds(world.clock.now(), HOUR_SECONDS));
    expectEqual(await world.passwordLinks.find(digest), { user: eve, issuerId: ada.id, issuer: actorOf(ada) });
    expectEqual(await world.users.find(eve.id), eve);
    expectEqual(await hashOf(world, eve), visitorHash);
    const [entry] = await entriesOf(world, eve);
    const at = world.clock.now();
    expectEntry(entry, { author: by(ada, 'r'), at, ...userAudit('createPasswordLink', eve) });
  }),

  contractCase('calls permit with the rights as locked, and stores nothing when it throws', async (world) => {
    const [ada, eve] = [await storeUser(world, aLeader()), await storeUser(world, aUser())];
    const digest = aDigest();
    const seen: unknown[] = [];
    const link = { userId: eve.id, digest, lifetime: HOUR_SECONDS };
    const created = world.passwordLinks.create(by(ada, 'r'), link, ({ actor, user }) => {
      seen.push(actor?.id, user.id);
      throw forbidden('refused');
    });
    await expectRefusal('forbidden', created);
    expectEqual(seen, [ada.id, eve.id]);
    await expectClosed(world, digest);
    expectEqual((await entriesOf(world, eve)).length, 1, 'the number of entries');
  }),

  contractCase('refuses a user who does not exist', async (world) => {
    for (const userId of [world.ids.next(), 'no-uuid']) {
      await expectRefusal('not_found', aLink(world, { id: userId }));
    }
  }),

  contractCase('replaces the link of a user with its issuer and expiry, and no link of another user', async (world) => {
    const ada = await storeUser(world, aLeader());
    const bea = await storeUser(world, aLeader().of(ada.division));
    const eve = await storeUser(world, aUser(), visitorHash);
    const user = await storeUser(world, aUser().of(ada.division), visitorHash);
    const issuerOf = async ({ digest }: { readonly digest: string }) => {
      const link = await world.passwordLinks.find(digest);
      return [link?.user.id, link?.issuerId, link?.issuer?.id];
    };
    const [first, others] = [await aLink(world, user, by(ada, 'r')), await aLink(world, eve, by(ada, 'r'))];
    world.clock.advance(HOUR_SECONDS - 1);
    const second = await aLink(world, user, by(bea, 'r'));
    await expectClosed(world, first.digest);
    expectEqual(await issuerOf(others), [eve.id, ada.id, ada.id]);
    world.clock.advance(HOUR_SECONDS - 1);
    expectEqual(await issuerOf(second), [user.id, bea.id, bea.id]);
    world.clock.advance(1);
    await expectClosed(world, second.digest);
  }),

  contractCase('sets the password, closes the link, and writes an entry of the user', async (world) => {
    // A redemption must not find the link of another user, which was stored first.
    const other = await storeUser(world, aUser(), visitorHash);
    await aLink(world, other);
    const user = await storeUser(world, aUser(), visitorHash);
    const { digest } = await aLink(world, user);
    const decided: (OpenPasswordLink | null)[] = [];
    await world.passwordLinks.redeem(digest, 'request-7', (link) => {
      decided.push(link);
      return set(link);
    });
    expectEqual(decided, [{ user, issuerId: null, issuer: null }]);
    expectEqual([await hashOf(world, user), await hashOf(world, other)], [two, visitorHash]);
    await expectClosed(world, digest);
    const [{ action, authorId, requestId } = {}] = await entriesOf(world, user);
    expectEqual([action, authorId, requestId], ['redeemPasswordLink', user.id, 'request-7']);
  }),

  contractCase('changes nothing when the decision throws', async (world) => {
    const { user, id } = await aVisitor(world);
    const { digest } = await aLink(world, user);
    await expectRefusal('invalid_token', world.passwordLinks.redeem(digest, null, refuseLink));
    expectEqual([await hashOf(world, user), await isAlive(world, user, id)], [visitorHash, true]);
    await world.passwordLinks.redeem(digest, null, set);
  }),

  contractCase('lets only one of several concurrent redemptions set the password', async (world) => {
    const user = await storeUser(world, aUser());
    const { digest } = await aLink(world, user);
    const hashes = ['b', 'c', 'd', 'e'].map(hashNamed);
    const redeem = (hash: PasswordHash) =>
      world.passwordLinks.redeem(digest, null, ({ user: locked }) => decideRedemption(locked, hash));
    const raced = await outcomesOf(hashes.map(redeem));
    expectEqual([raced.values.length, raced.refused], [1, ['invalid_token', 'invalid_token', 'invalid_token']]);
    const entries = await entriesOf(world, user);
    expectEqual(entries.filter(({ action }) => action === 'redeemPasswordLink').length, 1, 'the number of entries');
  }),

  contractCase('decides by the current rights of the issuer', async (world) => {
    const ada = await storeUser(world, aLeader());
    const eve = await storeUser(world, aUser().of(ada.division), visitorHash);
    const { digest } = await aLink(world, eve, by(ada, 'r'));
    const south = await storeDivision(world, aDivision());
    await changeUser(world, ada.id, { groups: ['User'], isActive: false });
    await moveUser(world, ada.id, south.id);
    const rights = [['User'], false, south.id];
    expectEqual(rightsOf((await world.passwordLinks.find(digest))?.issuer), rights);
    const seen: unknown[] = [];
    const inspect = ({ issuer }: OpenPasswordLink) => {
      seen.push(...rightsOf(issuer));
      throw invalidToken();
    };
    await expectRefusal('invalid_token', world.passwordLinks.redeem(digest, null, inspect));
    expectEqual(seen, rights);
    await deleteUser(world, ada.id);
    expectEqual(await world.passwordLinks.find(digest), { user: eve, issuerId: ada.id, issuer: null });
  }),

  contractCase('finds no link with an unknown digest', (world) => expectClosed(world, aDigest())),

  contractCase('does not void a link with other changes or a renewed hash', async (world) => {
    const [user, other] = [await storeUser(world, aUser(), visitorHash), await storeUser(world, aUser(), visitorHash)];
    const [{ digest }, others] = [await aLink(world, user), await aLink(world, other)];
    await changeUser(world, user.id, { username: 'renamed', groups: ['Guest'], isActive: false });
    await world.credentials.renew(user.id, visitorHash, hashNamed('three'));
    expectEqual((await world.passwordLinks.find(digest))?.user.username, 'renamed');
    expectEqual((await world.passwordLinks.find(others.digest))?.user.id, other.id, 'the user with the same hash');
    await world.passwordLinks.redeem(digest, null, set);
  }),
];
