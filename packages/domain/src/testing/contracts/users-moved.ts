import { forbidden } from '../../model/errors.ts';
import { actorOf, authorOf, OPERATOR, type User } from '../../model/user.ts';
import type { LockedUser, MoveChange } from '../../ports/user-change.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, isAlive } from './a-session.ts';
import { type ContractCase, contractCase, hashNamed } from './contract-case.ts';
import { expectDifferent, expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { expectEntry } from './expect-entry.ts';

const moving =
  (values: Partial<User> = {}): MoveChange =>
  ({ user }) => ({ ...user, ...values });

const actionsIn = async ({ audit }: World, divisionId: string) =>
  (await audit.list({ divisionId, limit: 50 })).map(({ action }) => action);

/** Contract cases for moving a user to another division. */
export const usersMoved: readonly ContractCase[] = [
  contractCase('moves a user, with changed groups, and returns what is stored', async (world) => {
    const ada = await storeUser(
      world,
      aLeader().with({ firstName: 'Ada', email: 'ada@example.org' }),
      hashNamed('one'),
    );
    const south = await storeDivision(world, aDivision());
    const moved = await world.users.move(OPERATOR, ada.id, south.id, moving({ groups: ['User'] }));
    const { id, name } = south;
    expectEqual({ ...moved, revision: '' }, { ...ada, division: { id, name }, groups: ['User'], revision: '' });
    expectDifferent(moved.revision, ada.revision, 'the revision');
    expectEqual(await world.users.find(ada.id), moved);
    expectEqual((await world.credentials.find(ada.id))?.passwordHash, hashNamed('one'));
  }),

  contractCase(
    'ignores the id, the division and the date of joining that the change of a move returns',
    async (world) => {
      const [ada, eve] = [await storeUser(world, aUser()), await storeUser(world, aUser())];
      const south = await storeDivision(world, aDivision());
      const change = moving({ id: eve.id, division: eve.division, dateJoined: '2020-01-01T00:00:00.000Z' });
      const moved = await world.users.move(OPERATOR, ada.id, south.id, change);
      expectEqual([moved.id, moved.division.id, moved.dateJoined], [ada.id, south.id, ada.dateJoined]);
      expectEqual(await world.users.find(eve.id), eve);
    },
  ),

  contractCase('passes the stored user, the author and the new division to the move', async (world) => {
    const ada = await storeUser(world, aLeader(), hashNamed('one'));
    const { id, name } = await storeDivision(world, aDivision());
    const seen: unknown[] = [];
    await world.users.move(authorOf(actorOf(ada)), ada.id, id, (locked, to) => {
      seen.push([locked.actor?.id, locked.user, locked.passwordHash, locked.isLastLeader, to]);
      return locked.user;
    });
    expectEqual(seen.at(-1), [ada.id, ada, hashNamed('one'), true, { id, name }]);
  }),

  contractCase('voids the password link of a moved user, and keeps the sessions', async (world) => {
    const ada = await storeUser(world, aUser(), hashNamed('one'));
    const south = await storeDivision(world, aDivision());
    const session = await aSession(world, ada, hashNamed('one'));
    const digest = aDigest();
    await world.passwordLinks.create(OPERATOR, { userId: ada.id, digest, lifetime: 60 }, () => {});
    await world.users.move(OPERATOR, ada.id, south.id, moving());
    expectEqual(await world.passwordLinks.find(digest), null);
    expectEqual(await isAlive(world, ada, session.id), true, 'whether the session goes on');
    expectEqual((await world.actors.find(ada.id, session.id))?.divisionId, south.id);
    // A link stays void after a move back.
    await world.users.move(OPERATOR, ada.id, ada.division.id, moving());
    expectEqual(await world.passwordLinks.find(digest), null);
  }),

  contractCase('records a move once, for both divisions', async (world) => {
    const ada = await storeUser(world, aLeader());
    const { id, name } = await storeDivision(world, aDivision());
    const other = await storeDivision(world, aDivision());
    world.clock.advance(60);
    await world.users.move(OPERATOR, ada.id, id, moving({ groups: ['User'] }));
    const [entry, ...earlier] = await world.audit.list({ userIds: [ada.id], limit: 50 });
    expectEqual(earlier.length, 1, 'the number of earlier entries');
    expectEntry(entry, {
      author: OPERATOR,
      at: world.clock.now(),
      action: 'moveUser',
      targetType: 'user',
      targetId: ada.id,
      divisionId: id,
      changes: { groups: { old: ['Leader'], new: ['User'] }, division: { old: ada.division, new: { id, name } } },
    });
    expectEqual(await actionsIn(world, ada.division.id), ['moveUser', 'createUser', 'createDivision']);
    expectEqual(await actionsIn(world, id), ['moveUser', 'createDivision']);
    expectEqual(await actionsIn(world, other.id), ['createDivision']);
  }),

  contractCase('changes nothing when a move is refused, and rethrows the error', async (world) => {
    const ada = await storeUser(world, aUser());
    const south = await storeDivision(world, aDivision());
    const thrown = forbidden('not allowed');
    const move = world.users.move(OPERATOR, ada.id, south.id, () => {
      throw thrown;
    });
    expectEqual((await expectRefusal('forbidden', move)) === thrown, true, 'that the error is the same');
    expectEqual(await world.users.find(ada.id), ada);
    expectEqual(await actionsIn(world, south.id), ['createDivision']);
  }),

  contractCase('rejects a move of an unknown user or to an unknown division', async (world) => {
    const ada = await storeUser(world, aUser());
    await expectRefusal('not_found', world.users.move(OPERATOR, world.ids.next(), ada.division.id, moving()));
    for (const unknown of [world.ids.next(), 'no id']) {
      await expectRefusal('not_found', world.users.move(OPERATOR, ada.id, unknown, moving()));
    }
    expectEqual(await world.users.find(ada.id), ada);
  }),

  contractCase('tells only one of two moves at the same time that another Leader remains', async (world) => {
    const ada = await storeUser(world, aLeader());
    const eve = await storeUser(world, aLeader().of(ada.division));
    const south = await storeDivision(world, aDivision());
    const moveUnlessLastLeader = ({ id }: User) =>
      world.users.move(OPERATOR, id, south.id, (locked: LockedUser) => {
        if (locked.isLastLeader) throw forbidden('the last Leader');
        return locked.user;
      });
    const raced = await outcomesOf([moveUnlessLastLeader(ada), moveUnlessLastLeader(eve)]);
    expectEqual([raced.values.length, raced.refused], [1, ['forbidden']]);
  }),

  contractCase('swaps the Leaders of two divisions at the same time', async (world) => {
    const [ada, eve] = [await storeUser(world, aLeader()), await storeUser(world, aLeader())];
    await Promise.all([
      world.users.move(OPERATOR, ada.id, eve.division.id, moving()),
      world.users.move(OPERATOR, eve.id, ada.division.id, moving()),
    ]);
    const stored = [await world.users.find(ada.id), await world.users.find(eve.id)];
    expectEqual(
      stored.map((user) => user?.division.id),
      [eve.division.id, ada.division.id],
    );
  }),
];
