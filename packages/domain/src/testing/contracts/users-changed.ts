import { forbidden, lastLeader } from '../../model/errors.ts';
import { authorOf, OPERATOR, type User } from '../../model/user.ts';
import type { LockedUser, UserChange } from '../../ports/user-change.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectDifferent, expectEqual, expectRefusal } from './expect.ts';
import { expectEntry } from './expect-entry.ts';

/** Returns a change of some fields that ends no session. */
const setting =
  (values: Partial<User>) =>
  ({ user }: LockedUser): UserChange => ({ user: { ...user, ...values }, endsSessions: false });

/** A change that returns the stored values as new objects. */
const unchanged = ({ user }: LockedUser): UserChange => ({
  user: { ...user, groups: [...user.groups] },
  passwordHash: hashNamed('one'),
  endsSessions: false,
});

const entriesOf = ({ audit }: World, id: string) => audit.list({ userIds: [id], limit: 50 });

/** Contract cases for changing a user. */
export const usersChanged: readonly ContractCase[] = [
  contractCase('stores every changed field, and returns the user as stored then', async (world) => {
    const ada = await storeUser(world, aUser());
    const values: Partial<User> = {
      username: 'countess',
      email: 'ada@example.org',
      firstName: 'Ada',
      lastName: 'Lovelace',
      groups: ['Leader', 'Guest'],
      birthdate: '1915-12-10',
      isActive: false,
      isStaff: true,
      isSuperuser: true,
    };
    const { revision, ...changed } = await world.users.update(OPERATOR, ada.id, setting(values));
    const { revision: before, ...present } = ada;
    expectEqual(changed, { ...present, ...values });
    expectDifferent(revision, before, 'the revision');
    expectEqual(await world.users.find(ada.id), { ...changed, revision });
  }),

  contractCase('clears values as well as it sets them', async (world) => {
    const ada = await storeUser(
      world,
      aUser().with({ email: 'a@example.org', birthdate: '1980-02-29', firstName: 'Ada' }),
    );
    const nothing = { email: null, birthdate: null, firstName: '', groups: [] };
    const changed = await world.users.update(OPERATOR, ada.id, setting(nothing));
    expectEqual({ ...changed, ...nothing }, changed);
    // The email is available again.
    await storeUser(world, aUser().with({ email: 'A@example.org' }));
  }),

  contractCase('never changes id, division and date of joining', async (world) => {
    const [ada, other] = [await storeUser(world, aUser()), await storeUser(world, aUser())];
    const { division, dateJoined } = { ...other, dateJoined: '2020-01-01T00:00:00.000Z' };
    const changed = await world.users.update(
      OPERATOR,
      ada.id,
      setting({ id: other.id, division, dateJoined, lastName: 'L' }),
    );
    expectEqual({ ...changed, revision: '' }, { ...ada, lastName: 'L', revision: '' });
    expectEqual(await world.users.find(other.id), other);
  }),

  contractCase('passes the stored user and password hash to the change', async (world) => {
    const leader = aLeader();
    const ada = await storeUser(world, aUser().of(leader.division), hashNamed('one'));
    await storeUser(world, leader);
    const seen: LockedUser[] = [];
    await world.users.update(authorOf(leader), ada.id, (locked) => {
      seen.push(locked);
      return setting({ firstName: 'Ada' })(locked);
    });
    const { id, username, divisionId, groups, isActive, isStaff, isSuperuser } = leader;
    const actor = { id, username, divisionId, groups, isActive, isStaff, isSuperuser };
    const noLeader = { isLastLeader: false, leadsOthersAlone: false };
    expectEqual(seen.at(-1), { actor, user: ada, passwordHash: hashNamed('one'), ...noLeader });
  }),

  contractCase(
    'passes an inactive author to the change, and null for the operator and a deleted author',
    async (world) => {
      const ada = await storeUser(world, aUser());
      const inactive = aLeader().of(ada.division).inactive();
      await storeUser(world, inactive);
      const seen: unknown[] = [];
      for (const author of [authorOf(inactive), OPERATOR, authorOf(aLeader())]) {
        let actor: LockedUser['actor'] | undefined;
        await world.users.update(author, ada.id, (locked) => {
          actor = locked.actor;
          return setting({})(locked);
        });
        seen.push(actor && [actor.id, actor.isActive]);
      }
      expectEqual(seen, [[inactive.id, false], null, null]);
    },
  ),

  contractCase('writes nothing if nothing changed', async (world) => {
    const ada = await storeUser(world, aUser().with({ groups: ['Guest', 'User'] }), hashNamed('one'));
    expectEqual(await world.users.update(OPERATOR, ada.id, unchanged), ada);
    expectEqual(await world.users.find(ada.id), ada);
    expectEqual((await entriesOf(world, ada.id)).length, 1, 'the number of entries');
  }),

  contractCase('rolls everything back when the change throws, and rethrows its error', async (world) => {
    const ada = await storeUser(world, aUser());
    const thrown = forbidden('not allowed');
    const update = world.users.update(OPERATOR, ada.id, () => {
      throw thrown;
    });
    expectEqual((await expectRefusal('forbidden', update)) === thrown, true, 'that the error is the same');
    expectEqual(await world.users.find(ada.id), ada);
    expectEqual((await entriesOf(world, ada.id)).length, 1, 'the number of entries');
  }),

  contractCase('continues after a change that threw', async (world) => {
    const ada = await storeUser(world, aUser());
    const failing = world.users.update(OPERATOR, ada.id, () => {
      throw lastLeader();
    });
    const [, next] = await Promise.allSettled([
      failing,
      world.users.update(OPERATOR, ada.id, setting({ firstName: 'A' })),
    ]);
    expectEqual(next?.status, 'fulfilled');
    expectEqual((await world.users.find(ada.id))?.firstName, 'A');
  }),

  contractCase('rejects a change of an unknown user without calling the change', async ({ users, ids }) => {
    const calls: unknown[] = [];
    const update = users.update(OPERATOR, ids.next(), (locked) => {
      calls.push(locked);
      return setting({})(locked);
    });
    await expectRefusal('not_found', update);
    expectEqual(calls.length, 0, 'the number of calls');
  }),

  contractCase('rejects names that are taken, and then changes nothing', async (world) => {
    await storeUser(world, aUser().with({ username: 'eve', email: 'eve@example.org' }));
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    const change = (values: Partial<User>) =>
      world.users.update(OPERATOR, ada.id, (locked) => ({
        ...setting(values)(locked),
        passwordHash: hashNamed('two'),
      }));
    await expectRefusal('username_taken', change({ username: 'EVE', firstName: 'Ada' }));
    await expectRefusal('email_taken', change({ email: 'Eve@Example.ORG', firstName: 'Ada' }));
    expectEqual(await world.credentials.find(ada.id), { user: ada, passwordHash: hashNamed('one') });
    expectEqual((await entriesOf(world, ada.id)).length, 1, 'the number of entries');
  }),

  contractCase('lets a user change the case of their own names', async (world) => {
    const ada = await storeUser(world, aUser().with({ username: 'ada', email: 'ada@example.org' }));
    const names = { username: 'Ada', email: 'Ada@Example.org' };
    const changed = await world.users.update(OPERATOR, ada.id, setting(names));
    expectEqual({ ...changed, ...names }, changed);
    expectEqual((await entriesOf(world, ada.id)).length, 2, 'the number of entries');
  }),

  contractCase('never uses a revision twice, even for the same values', async (world) => {
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    const revisions = [ada.revision];
    for (const firstName of ['Ada', '', 'Ada', '']) {
      revisions.push((await world.users.update(OPERATOR, ada.id, setting({ firstName }))).revision);
    }
    for (const passwordHash of [hashNamed('two'), hashNamed('one')]) {
      const change = (locked: LockedUser) => ({ ...setting({})(locked), passwordHash });
      revisions.push((await world.users.update(OPERATOR, ada.id, change)).revision);
    }
    expectEqual(new Set(revisions).size, 7, 'the number of revisions');
  }),

  contractCase(
    'gives a user a new revision when the division is renamed, but not when it changes otherwise',
    async (world) => {
      const chapter = await storeDivision(world, aDivision());
      const ada = await storeUser(world, aUser().of(chapter));
      const stranger = await storeUser(world, aUser());
      await world.divisions.update(OPERATOR, chapter.id, ({ division }) => ({
        ...division,
        logo: 'https://example.org/',
      }));
      expectEqual(await world.users.find(ada.id), ada);
      await world.divisions.update(OPERATOR, chapter.id, ({ division }) => ({ ...division, name: 'New name' }));
      const renamed = await world.users.find(ada.id);
      expectEqual(renamed?.division, { id: chapter.id, name: 'New name' });
      expectDifferent(renamed?.revision, ada.revision, 'the revision');
      expectEqual(await world.users.find(stranger.id), stranger);
    },
  ),

  contractCase(
    'records the changed fields with old and new values, but of a password only that it changed',
    async (world) => {
      const ada = await storeUser(world, aUser().with({ groups: ['User'] }), hashNamed('one'));
      world.clock.advance(60);
      const author = { userId: null, name: 'operator', requestId: 'request-2' };
      await world.users.update(author, ada.id, (locked) => ({
        ...setting({ email: 'ada@example.org', groups: ['Guest', 'User'] })(locked),
        passwordHash: hashNamed('two'),
      }));
      const [entry] = await entriesOf(world, ada.id);
      const changes = {
        email: { old: null, new: 'ada@example.org' },
        groups: { old: ['User'], new: ['Guest', 'User'] },
        password: { old: null, new: 'changed' },
      };
      expectEntry(entry, {
        author,
        at: world.clock.now(),
        action: 'updateUser',
        targetType: 'user',
        targetId: ada.id,
        divisionId: ada.division.id,
        changes,
      });
    },
  ),
];
