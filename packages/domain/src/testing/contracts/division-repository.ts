import { divisionAudit } from '../../model/audit-entry.ts';
import { forbidden } from '../../model/errors.ts';
import { authorOf, OPERATOR } from '../../model/user.ts';
import { decideDivisionCreation, decideDivisionUpdate, type LockedDivision } from '../../writes/division-writes.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { changeDivision, changeUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { divisionsDeleted } from './divisions-deleted.ts';
import { eachDivisionField } from './each-field.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';
import { expectEntry } from './expect-entry.ts';

const appendX = (locked: LockedDivision) =>
  decideDivisionUpdate(OPERATOR, locked, { values: { name: `${locked.division.name}x` } });

const entriesOf = ({ audit }: World, divisionId: string) => audit.list({ divisionId, limit: 50 });

/** Contract cases for every division repository, apart from its list. */
export const divisionRepositoryContract: readonly ContractCase[] = [
  ...eachDivisionField,
  ...divisionsDeleted,

  contractCase('returns null for an unknown division', async ({ divisions, ids }) => {
    expectEqual(await divisions.find(ids.next()), null);
  }),

  contractCase('stores every field of a created division', async (world) => {
    const {
      divisionId: _,
      revision: __,
      ...fields
    } = aDivision().with({
      name: 'Zürich "Ost" %_\\ 𝕏',
      logo: 'https://example.org/logo?a=1#b',
      fanpage: 'http://example.org/',
    });
    const { revision, ...created } = await world.divisions.create(OPERATOR, fields);
    expectEqual(created, fields);
    expectEqual(/^[!#-~]+$/.test(revision), true, 'the revision is visible ASCII without quotes');
    expectEqual(await world.divisions.find(fields.id), { ...created, revision });
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

  contractCase('passes the stored division and author to the change', async (world) => {
    await storeDivision(world, aDivision());
    const { id, username, divisionId } = await aStoredLeader(world);
    const stored = await world.divisions.find(divisionId);
    const seen: unknown[] = [];
    const see = (locked: LockedDivision): 'unchanged' => {
      seen.push(locked);
      return 'unchanged';
    };
    await world.divisions.update(authorOf({ ...aUser(), id, username }), divisionId, see);
    await world.divisions.update(OPERATOR, divisionId, see);
    await world.divisions.update(authorOf(aLeader()), divisionId, see);
    const rights = { groups: ['Leader'], isActive: true, isStaff: false, isSuperuser: false };
    expectEqual(seen, [
      { actor: { id, username, divisionId, ...rights }, division: stored },
      { actor: null, division: stored },
      { actor: null, division: stored },
    ]);
  }),

  contractCase('writes nothing if nothing changed', async (world) => {
    const north = await storeDivision(world, aDivision());
    expectEqual(await world.divisions.update(OPERATOR, north.id, () => 'unchanged'), north);
    expectEqual(await world.divisions.find(north.id), north);
    expectEqual((await entriesOf(world, north.id)).length, 1, 'the number of entries');
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

  contractCase('rejects a change of an unknown division', async ({ divisions, ids }) => {
    await expectRefusal('not_found', changeDivision({ divisions }, ids.next(), { name: 'South' }));
  }),

  contractCase('rejects a change to a name that is taken, and then changes nothing', async (world) => {
    const [north] = [
      await storeDivision(world, aDivision()),
      await storeDivision(world, aDivision().with({ name: 'South' })),
    ];
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
    const { divisionId, id } = await aStoredLeader(world);
    const before = await world.divisions.find(divisionId);
    await changeUser(world, id, { firstName: 'Ada' });
    expectEqual(await world.divisions.find(divisionId), before);
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

const aStoredLeader = async (world: World) => {
  const { id, username, division } = await storeUser(world, aLeader());
  return { id, username, divisionId: division.id };
};
