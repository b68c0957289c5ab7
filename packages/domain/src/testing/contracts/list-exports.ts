import type { ListedUser, UserListField } from '../../lists/list-fields.ts';
import {
  type ExportQuery,
  type ListQuery,
  type ListQueryParts,
  listQuery,
  type Page,
  type Position,
} from '../../lists/list-query.ts';
import { divisionAudit } from '../../model/audit-entry.ts';
import { type Actor, type Author, actorOf } from '../../model/user.ts';
import type { ListExport } from '../../ports/list-exports.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { changeUser, deleteUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEntry, expectEqual, expectRefusal } from './expect.ts';
import { allow, refuse } from './fixtures.ts';
import { populate } from './user-list-population.ts';

const ADA: Author = { userId: '0197f0aa-0000-7000-8000-0000000000a1', name: 'ada', requestId: 'request-1' };

const SEARCHED = ['username', 'firstName', 'lastName', 'email'] as const;

/** Queries with an order, filters or a search. */
const userQueries: readonly ListQueryParts<UserListField>[] = [
  {},
  { order: ['groups', '-lastName'] },
  { filters: [{ field: 'birthdate', operator: 'gte', value: '1990-01-01' }], order: ['-username'] },
  { filters: [{ field: 'groups', operator: 'in', value: ['Leader', 'Guest'] }], order: ['birthdate'] },
  { filters: [{ field: 'email', operator: 'isnull', value: false }], words: ['x.org'], searched: SEARCHED },
];

/** Returns all items of an export. */
const itemsOf = async <Item>({ batches }: ListExport<Item>): Promise<readonly Item[]> =>
  (await Array.fromAsync(batches)).flat();

/** Returns all items of a list, page by page. */
const itemsOnPages = async <Item, Field extends string>(
  list: (query: ListQuery<Field>) => Promise<Page<Item>>,
  query: ListQuery<Field>,
): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let position: Position | null = null;
  do {
    const page: Page<Item> = await list({ ...query, size: 2, position });
    items.push(...page.items);
    position = page.next;
  } while (position);
  return items;
};

const open = (world: World): Promise<ListExport<ListedUser>> =>
  world.listExports.users(ADA, world.ids.next(), listQuery<UserListField>({}), allow);

const names = (...used: string[]) => ({ filters: { old: null, new: used } });

/** Contract cases for every port that exports lists. */
export const listExportsContract: readonly ContractCase[] = [
  contractCase('export the users of a division as the pages of the list show them', async (world) => {
    const { division } = await populate(world);
    for (const parts of userQueries) {
      const query = listQuery(parts);
      const expected = await itemsOnPages((page) => world.users.list(division.id, page), query);
      const exported = await itemsOf(await world.listExports.users(ADA, division.id, query, allow));
      expectEqual(exported, expected, JSON.stringify(parts));
    }
  }),

  contractCase('export the references of a division as the pages of the list show them', async (world) => {
    const { division } = await populate(world);
    for (const parts of [{ order: ['username'] }, { order: ['-id'], words: ['a'], searched: ['username'] }] as const) {
      const query = listQuery<'id' | 'username'>(parts);
      const expected = await itemsOnPages((page) => world.users.listReferences(division.id, page), query);
      expectEqual(await itemsOf(await world.listExports.references(ADA, division.id, query, allow)), expected);
    }
  }),

  contractCase('export all divisions as the pages of the list show them', async (world) => {
    const names = ['Ost', 'ost_1', 'Ärger', 'West'];
    for (const name of names) await storeDivision(world, aDivision().with({ name, logo: `https://x.org/${name}` }));
    const { id } = await storeDivision(world, aDivision().with({ name: 'No logo' }));
    for (const parts of [{ order: ['-logo'] }, { order: ['name'], words: ['ost'], searched: ['name'] }] as const) {
      const query = listQuery<'id' | 'name' | 'logo'>(parts);
      const expected = await itemsOnPages((page) => world.divisions.list(page), query);
      expectEqual(await itemsOf(await world.listExports.divisions(ADA, id, query, allow)), expected);
    }
  }),

  contractCase('export nothing for an empty list and for an unknown division', async (world) => {
    const { id } = await storeDivision(world, aDivision());
    for (const division of [id, world.ids.next()]) {
      expectEqual(await itemsOf(await world.listExports.users(ADA, division, listQuery({}), allow)), []);
      expectEqual(await itemsOf(await world.listExports.references(ADA, division, listQuery({}), allow)), []);
    }
  }),

  contractCase('show the list as it was when they were opened', async (world) => {
    const { division, idOf, list } = await populate(world);
    const { items } = await list(listQuery({}));
    const opened = await world.listExports.users(ADA, division.id, listQuery({}), allow);
    await deleteUser(world, idOf('f'));
    await storeUser(world, aUser().of(division));
    await changeUser(world, idOf('e'), { lastName: 'Changed' });
    expectEqual(await itemsOf(opened), items);
  }),

  contractCase('refuse a third export until one of two has been read, left or closed', async (world) => {
    const { division } = await populate(world);
    const openFull = () => world.listExports.users(ADA, division.id, listQuery({}), allow);
    const read = await openFull();
    const left = await openFull();
    const { message, retryAfter } = await expectRefusal('unavailable', open(world));
    expectEqual([message, retryAfter], ['2 exports are running already; try again when one has ended', 30]);
    await itemsOf(read);
    const closed = await open(world);
    await expectRefusal('unavailable', open(world));
    for await (const _ of left.batches) break;
    const last = await open(world);
    await expectRefusal('unavailable', open(world));
    await closed.close();
    await closed.close();
    await read.close();
    const another = await open(world);
    await expectRefusal('unavailable', open(world));
    await Promise.all([last.close(), another.close()]);
    const entries = await world.audit.list({ limit: 100, action: 'exportUsers' });
    expectEqual(entries.length, 5, 'the number of entries, of which the refused exports have none');
  }),

  contractCase('end when they are closed, also between two batches', async (world) => {
    const { division } = await populate(world);
    const query: ExportQuery<UserListField> = listQuery({});
    const unread = await world.listExports.users(ADA, division.id, query, allow);
    await unread.close();
    await expectRefusal('unavailable', itemsOf(unread));
    const begun = await world.listExports.users(ADA, division.id, query, allow);
    const batches = begun.batches[Symbol.asyncIterator]();
    await batches.next();
    await begun.close();
    await expectRefusal('unavailable', Promise.resolve(batches.next()));
  }),

  contractCase('write one audit entry each, with the author, the list and the names of the filters', async (world) => {
    const { id } = await storeDivision(world, aDivision());
    const filters = [
      { field: 'dateJoined', operator: 'gte', value: '2026-01-01T00:00:00.000Z' },
      { field: 'lastName', operator: 'eq', value: 'berg' },
    ] as const;
    const before = (await world.audit.list({ limit: 10 })).length;
    const { divisions, references, users } = world.listExports;
    const opened = [
      await users(ADA, id, listQuery({ filters, words: ['anna'], searched: SEARCHED }), allow),
      await references(ADA, id, listQuery({ words: ['anna'], searched: ['username'] }), allow),
    ];
    for (const { close } of opened) await close();
    await (await divisions(ADA, id, listQuery({}), allow)).close();
    const entries = (await world.audit.list({ limit: 10 })).toReversed().slice(before);
    const by = { author: ADA, at: world.clock.now() };
    expectEqual(entries.length, 3);
    const ofUsers = names('date_joined__gte', 'last_name', 'search');
    expectEntry(entries[0], { ...by, ...divisionAudit('exportUsers', id, ofUsers) });
    expectEntry(entries[1], { ...by, ...divisionAudit('exportDivisionUsers', id, names('search')) });
    expectEntry(entries[2], { ...by, ...divisionAudit('exportDivisions', id, names()) });
  }),

  contractCase('refuse an author who has lost the rights since, without audit entry and opening', async (world) => {
    const { id, division } = await storeUser(world, aLeader());
    const author: Author = { ...ADA, userId: id };
    const actor = actorOf(await changeUser(world, id, { groups: ['User'] }));
    const before = (await world.audit.list({ limit: 10 })).length;
    const seen: (Actor | null)[] = [];
    const permit = (locked: Actor | null) => {
      seen.push(locked);
      refuse();
    };
    const { divisions, references, users } = world.listExports;
    for (const openList of [users, references, divisions]) {
      for (const one of [author, ADA]) {
        await expectRefusal('forbidden', openList(one, division.id, listQuery<'id'>({}), permit));
      }
    }
    expectEqual(seen, [actor, null, actor, null, actor, null]);
    expectEqual((await world.audit.list({ limit: 10 })).length, before);
    // The refused exports hold no slot.
    for (const one of [await open(world), await open(world)]) await one.close();
  }),
];
