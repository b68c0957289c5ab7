import { divisionAudit } from '../../model/audit-entry.ts';
import { forbidden } from '../../model/errors.ts';
import { actorOf, authorOf, OPERATOR } from '../../model/user.ts';
import {
  type DivisionToDelete,
  decideDivisionCreation,
  decideDivisionDeletion,
  decideDivisionUpdate,
  type LockedDivision,
} from '../../writes/division-writes.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, changeDivision, changeUser, moveUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { eachDivisionField } from './each-field.ts';
import { expectEntry, expectEqual, expectRefusal, outcomesOf } from './expect.ts';

const entriesOf = ({ audit }: World, divisionId: string) => audit.list({ divisionId, limit: 50 });

const remove = (locked: DivisionToDelete) => decideDivisionDeletion(OPERATOR, locked);

const appendX = (locked: LockedDivision) =>
  decideDivisionUpdate(OPERATOR, locked, { values: { name: `${locked.division.name}x` } });

/** Contract cases for every division repository, apart from its list. */
export const divisionRepositoryContract: readonly ContractCase[] = [
  ...eachDivisionField,

  contractCase('deletes one empty division, and makes its name available', async (world) => {
    const north = await storeDivision(world, aDivision().with({ name: 'North' }));
    const south = await storeDivision(world, aDivision());
    await world.divisions.delete(OPERATOR, north.id, remove);
    expectEqual([await world.divisions.find(north.id), await world.divisions.find(south.id)], [null, south]);
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
    expectEqual(seen[0], [lead.id, north, false]);
    expectEqual(seen.at(-1), [undefined, await world.divisions.find(inactive.division.id), true]);
    expectEqual((await entriesOf(world, north.id)).length, 1, 'the number of entries');
  }),

  contractCase('rejects deleting and changing an unknown division, also a deleted one', async (world) => {
    const north = await storeDivision(world, aDivision());
    await world.divisions.delete(OPERATOR, north.id, remove);
    for (const unknown of [north.id, world.ids.next(), 'no id']) {
      await expectRefusal('not_found', world.divisions.delete(OPERATOR, unknown, remove));
      await expectRefusal('not_found', changeDivision(world, unknown, { name: 'South' }));
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
      const commands = round % 2 ? [deletion, creation, move] : [creation, move, deletion];
      const raced = await outcomesOf<unknown>(commands.map((command) => command()));
      const exists = (await world.divisions.find(north.id)) !== null;
      const stored = [await world.users.find(joiner.id), await world.users.find(mover.id)];
      const hasMembers = stored.some((user) => user?.division.id === north.id);
      expectEqual(hasMembers, exists, 'that the division has members');
      expectEqual(raced.refused, exists ? ['forbidden'] : ['not_found', 'not_found']);
    }
  }),

  contractCase('rejects a name that differs only in Unicode case', async (world) => {
    await storeDivision(world, aDivision().with({ name: 'Ärger ΣΑΣ' }));
    const twice = aDivision().with({ name: 'äRGER σας' });
    await expectRefusal('name_taken', storeDivision(world, twice));
    expectEqual(await world.divisions.find(twice.id), null);
    expectEqual((await entriesOf(world, twice.id)).length, 0, 'the number of entries');
  }),

  contractCase('gives a name to one of several concurrent creations', async (world) => {
    const rivals = ['north', 'North', 'NORTH'].map((name) => aDivision().with({ name }));
    const raced = await outcomesOf(rivals.map((rival) => storeDivision(world, rival)));
    expectEqual([raced.values.length, raced.refused], [1, ['name_taken', 'name_taken']]);
  }),

  contractCase('passes the stored division and author, and writes nothing if nothing changed', async (world) => {
    await storeDivision(world, aDivision());
    const leader = actorOf(await storeUser(world, aLeader()));
    const divisionId = leader.divisionId ?? '';
    const division = await world.divisions.find(divisionId);
    const seen: unknown[] = [];
    const see = (locked: LockedDivision): 'unchanged' => {
      seen.push(locked);
      return 'unchanged';
    };
    for (const author of [leader, OPERATOR, aLeader()]) {
      expectEqual(await world.divisions.update(authorOf(author), divisionId, see), division);
    }
    expectEqual((await entriesOf(world, divisionId)).length, 2, 'the number of entries');
    const expected = [leader, null, null].map((actor) => ({ actor, division }));
    expectEqual(seen, expected);
  }),

  contractCase('rolls everything back when the change throws, and rethrows its error', async (world) => {
    const north = await storeDivision(world, aDivision());
    const thrown = forbidden('not allowed');
    const update = world.divisions.update(OPERATOR, north.id, () => {
      throw thrown;
    });
    expectEqual((await expectRefusal('forbidden', update)) === thrown, true, 'that the error is the same');
    expectEqual(await world.divisions.find(north.id), north);
    expectEqual((await entriesOf(world, north.id)).length, 1, 'the number of entries');
  }),

  contractCase('rejects a change to a name that is taken, and then changes nothing', async (world) => {
    const north = await storeDivision(world, aDivision());
    await storeDivision(world, aDivision().with({ name: 'South' }));
    const change = { name: 'SOUTH', logo: 'https://example.org/' };
    await expectRefusal('name_taken', changeDivision(world, north.id, change));
    expectEqual(await world.divisions.find(north.id), north);
  }),

  contractCase('lets a division change the case of its own name', async (world) => {
    const north = await storeDivision(world, aDivision().with({ name: 'north' }));
    expectEqual((await changeDivision(world, north.id, { name: 'North' })).name, 'North');
    expectEqual((await entriesOf(world, north.id)).length, 2, 'the number of entries');
  }),

  contractCase('never uses a revision twice, even for the same values', async (world) => {
    const north = await storeDivision(world, aDivision());
    const revisions = [north.revision];
    for (const values of [{ logo: 'https://example.org/' }, { logo: null }, { name: 'South' }, { name: north.name }]) {
      revisions.push((await changeDivision(world, north.id, values)).revision);
    }
    expectEqual(new Set(revisions).size, 5, 'the number of revisions');
  }),

  contractCase('keeps the revision when a user of the division changes', async (world) => {
    const { division, id } = await storeUser(world, aLeader());
    const before = await world.divisions.find(division.id);
    await changeUser(world, id, { firstName: 'Ada' });
    expectEqual(await world.divisions.find(division.id), before);
  }),

  contractCase('loses none of several concurrent changes', async (world) => {
    const north = await storeDivision(world, aDivision().with({ name: 'n' }));
    await Promise.all(Array.from({ length: 10 }, () => world.divisions.update(OPERATOR, north.id, appendX)));
    expectEqual((await world.divisions.find(north.id))?.name, `n${'x'.repeat(10)}`);
    expectEqual((await entriesOf(world, north.id)).length, 11, 'the number of entries');
  }),

  contractCase('records a creation and a change as decided, with the author', async (world) => {
    const author = { userId: null, name: 'operator', requestId: 'request-1' };
    const north = await storeDivision(world, aDivision());
    const start = world.clock.now();
    world.clock.advance(60);
    await changeDivision(world, north.id, { name: 'South' }, author);
    const [changed, created, ...more] = await entriesOf(world, north.id);
    expectEqual(more.length, 0, 'the number of further entries');
    expectEntry(created, { ...decideDivisionCreation(north).audit, author: OPERATOR, at: start });
    const changes = { name: { old: north.name, new: 'South' } };
    expectEntry(changed, { ...divisionAudit('updateDivision', north.id, changes), author, at: world.clock.now() });
  }),
];
