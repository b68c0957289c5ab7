import type { DivisionId } from '../../model/division.ts';
import { OPERATOR } from '../../model/user.ts';
import type { ChangePage, ChangeQuery } from '../../ports/audit-log.ts';
import { aDivision, aUser } from '../builders/builders.ts';
import { changeUser, deleteUser, moveUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

const MAX_WAITS = 1000;

/** Waits until the feed has the newest entry. Other transactions of the database, such as those of maintenance, may delay it. */
export const untilSettled = async ({ changes }: Pick<World, 'changes'>, id: DivisionId): Promise<void> => {
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const newest = await changes.list(id, { side: 'before', position: '', size: 2 });
    // The entry before the one from which the feed continues must be the second newest.
    const previous = await changes.list(id, { side: 'before', position: newest?.after ?? '', size: 1 });
    if (previous?.entries[0]?.id === newest?.entries[1]?.id) return;
  }
};

const read = async (world: World, id: DivisionId, query: Partial<ChangeQuery> = {}): Promise<ChangePage> => {
  await untilSettled(world, id);
  const page = await world.changes.list(id, { side: 'after', position: '', size: 100, ...query });
  if (!page) throw new Error('the position does not belong to the history');
  return page;
};

const actions = ({ entries }: ChangePage) => entries.map(({ action }) => action);

/** Stores a user in a division, renames them, moves them to another division and renames them there. */
const writeHistory = async (world: World) => {
  const [north, south] = [await storeDivision(world, aDivision()), await storeDivision(world, aDivision())];
  const { id } = await storeUser(world, aUser().of(north));
  await changeUser(world, id, { firstName: 'Ada' });
  await moveUser(world, id, south.id);
  await changeUser(world, id, { username: 'countess' });
  return { north, south, id };
};

/** Contract cases for every feed of changes. */
export const changeFeedContract: readonly ContractCase[] = [
  contractCase('delivers what concerns a division, oldest first, and a move to both divisions', async (world) => {
    const { north, south } = await writeHistory(world);
    expectEqual(actions(await read(world, north.id)), ['createDivision', 'createUser', 'updateUser', 'moveUser']);
    expectEqual(actions(await read(world, south.id)), ['createDivision', 'moveUser', 'updateUser']);
    expectEqual(actions(await read(world, world.ids.next())), []);
  }),

  contractCase('names targets only while they belong to the division', async (world) => {
    const { north, south, id } = await writeHistory(world);
    const names = async (divisionId: DivisionId) =>
      (await read(world, divisionId)).entries.map(({ targetName }) => targetName);
    expectEqual(await names(north.id), [north.name, null, null, null]);
    expectEqual(await names(south.id), [south.name, 'countess', 'countess']);
    await deleteUser(world, id);
    expectEqual(await names(south.id), [south.name, null, null, null]);
  }),

  contractCase('delivers each entry once, page by page, and continues after an empty page', async (world) => {
    const { south, id } = await writeHistory(world);
    const first = await read(world, south.id, { size: 2 });
    expectEqual([actions(first), first.next], [['createDivision', 'moveUser'], first.after]);
    const second = await read(world, south.id, { size: 2, position: first.after });
    expectEqual([actions(second), second.next], [['updateUser'], null]);
    const third = await read(world, south.id, { position: second.after });
    expectEqual(third, { entries: [], next: null, after: second.after });
    await deleteUser(world, id);
    expectEqual(actions(await read(world, south.id, { position: third.after })), ['deleteUser']);
  }),

  contractCase('lists the newest entries first, from which the feed continues', async (world) => {
    const { north, south, id } = await writeHistory(world);
    const newest = await read(world, south.id, { side: 'before', size: 2 });
    expectEqual(actions(newest), ['updateUser', 'moveUser']);
    const oldest = await read(world, south.id, { side: 'before', size: 2, position: newest.next ?? '' });
    expectEqual([actions(oldest), oldest.next], [['createDivision'], null]);
    await moveUser(world, id, north.id);
    for (const { after } of [newest, oldest]) {
      expectEqual(actions(await read(world, south.id, { position: after })), ['moveUser']);
    }
  }),

  contractCase('keeps the entries of erased users, also for the division that they left', async (world) => {
    const { north, south, id } = await writeHistory(world);
    await world.erasure.eraseUser(OPERATOR, id, () => {});
    expectEqual(actions(await read(world, north.id)).at(-1), 'moveUser');
    expectEqual(actions(await read(world, south.id)), ['createDivision', 'moveUser', 'updateUser', 'eraseUser']);
  }),

  contractCase('has no page at a pruned entry, one of another division, or one that never was', async (world) => {
    const { north, south } = await writeHistory(world);
    const { after } = await read(world, north.id, { size: 1 });
    const ofSouth = (await read(world, south.id, { size: 1 })).after;
    world.clock.advance(1);
    await storeUser(world, aUser().of(north));
    const last = (await read(world, north.id)).after;
    await world.erasure.pruneAudit(OPERATOR, world.clock.now());
    for (const side of ['before', 'after'] as const) {
      const inOtherTransaction = last.split('.').toSpliced(-2, 1, '9').join('.');
      for (const position of [after, ofSouth, 'x', '1.x', `\u0000${last}`, `9${last}`, inOtherTransaction]) {
        expectEqual(await world.changes.list(north.id, { side, position, size: 1 }), null, position);
      }
    }
    expectEqual(await read(world, north.id, { position: last }), { entries: [], next: null, after: last });
    expectEqual(actions(await read(world, north.id)), ['createUser']);
  }),
];
