import { forbidden } from '../../model/errors.ts';
import { actorOf, authorOf, OPERATOR } from '../../model/user.ts';
import { type DivisionToDelete, decideDivisionDeletion } from '../../writes/division-writes.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, moveUser, storeDivision, storeUser } from '../builders/store.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';

const remove = (locked: DivisionToDelete) => decideDivisionDeletion(OPERATOR, locked);

/** Contract cases for deleting a division. */
export const divisionsDeleted: readonly ContractCase[] = [
  contractCase('deletes an empty division, and makes the name available', async (world) => {
    const north = await storeDivision(world, aDivision().with({ name: 'North' }));
    await world.divisions.delete(OPERATOR, north.id, remove);
    expectEqual(await world.divisions.find(north.id), null);
    expectEqual((await world.audit.list({ divisionId: north.id, limit: 1 }))[0]?.action, 'deleteDivision');
    const next = await storeDivision(world, aDivision().with({ name: 'NORTH' }));
    expectEqual(await world.divisions.find(next.id), next);
  }),

  contractCase('passes the stored division, the author and whether it has members to the deletion', async (world) => {
    const lead = await storeUser(world, aLeader());
    const north = await storeDivision(world, aDivision());
    const inactive = await storeUser(world, aUser().inactive());
    const seen: unknown[] = [];
    const refuse = (locked: DivisionToDelete) => {
      seen.push([locked.actor?.id, locked.division, locked.hasMembers]);
      throw forbidden('not allowed');
    };
    const author = authorOf(actorOf(lead));
    await expectRefusal('forbidden', world.divisions.delete(author, north.id, refuse));
    await expectRefusal('forbidden', world.divisions.delete(OPERATOR, inactive.division.id, refuse));
    expectEqual(
      [seen[0], seen.at(-1)],
      [
        [lead.id, north, false],
        [undefined, await world.divisions.find(inactive.division.id), true],
      ],
    );
  }),

  contractCase('deletes no division when the deletion is refused', async (world) => {
    const { division } = await storeUser(world, aUser());
    await expectRefusal('forbidden', world.divisions.delete(OPERATOR, division.id, remove));
    expectEqual((await world.divisions.find(division.id))?.name, division.name);
    const entries = await world.audit.list({ divisionId: division.id, limit: 50 });
    expectEqual(
      entries.map(({ action }) => action),
      ['createUser', 'createDivision'],
    );
  }),

  contractCase('rejects deleting an unknown division, and deleting a second time', async (world) => {
    const north = await storeDivision(world, aDivision());
    await world.divisions.delete(OPERATOR, north.id, remove);
    for (const unknown of [north.id, world.ids.next(), 'no id']) {
      await expectRefusal('not_found', world.divisions.delete(OPERATOR, unknown, remove));
    }
  }),

  contractCase('either deletes a division or adds a member that joins it at the same time', async (world) => {
    for (let round = 0; round < 5; round++) {
      const north = await storeDivision(world, aDivision());
      const [joiner, mover] = [aUser().of(north), await storeUser(world, aUser())];
      const deletion = () => world.divisions.delete(OPERATOR, north.id, remove);
      const creation = () => world.users.create(OPERATOR, asNewUser(joiner), () => {});
      const move = () => moveUser(world, mover.id, north.id);
      // Alternate between starting the deletion first and last.
      const commands: readonly (() => Promise<unknown>)[] =
        round % 2 ? [deletion, creation, move] : [creation, move, deletion];
      const raced = await outcomesOf(commands.map((command) => command()));
      const exists = (await world.divisions.find(north.id)) !== null;
      const members = (await Promise.all([joiner.id, mover.id].map((id) => world.users.find(id)))).filter(
        (user) => user?.division.id === north.id,
      );
      expectEqual(members.length > 0, exists, 'that the division has members');
      expectEqual(raced.refused, exists ? ['forbidden'] : ['not_found', 'not_found']);
    }
  }),
];
