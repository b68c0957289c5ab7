import { type ListedUser, listValueOf, type UserListField, userListFields } from '../../lists/list-fields.ts';
import { type Filter, type ListQuery, listQuery, type Position } from '../../lists/list-query.ts';
import type { User, UserId } from '../../model/user.ts';
import { aDivision } from '../builders/builders.ts';
import { changeDivision, storeDivision } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { expectList, letters, orderCases } from './list-walk.ts';
import { userListFilters } from './user-list-filters.ts';
import { populate } from './user-list-population.ts';

// In this order, the users are c f b e, then a and d, which have no email.
const order = ['email'] as const;

const positionOf = (email: string | null, id: string, side: Position['side'], inclusive = false): Position => ({
  side,
  inclusive,
  values: [email, id],
});

/** Contract cases for the positions of the user list. */
const userListPositions: readonly ContractCase[] = [
  contractCase('returns positions after the last and before the first item, and null at the ends', async (world) => {
    const { idOf, list } = await populate(world);
    const positionsOf = async (size: number, position: Position | null) => {
      const { next, previous } = await list(listQuery({ order, size, position }));
      return { next, previous };
    };
    const at = (email: string | null, id: string) => ({
      before: positionOf(email, id, 'before'),
      after: positionOf(email, id, 'after'),
    });
    const [c, f] = [at('a%b@x.org', idOf('c')), at('aab@x.org', idOf('f'))];
    const [b, d] = [at('b@x.org', idOf('b')), at(null, idOf('d'))];
    expectEqual(await positionsOf(6, null), { next: null, previous: null });
    expectEqual(await positionsOf(2, null), { next: f.after, previous: null });
    expectEqual(await positionsOf(1, f.after), { next: b.after, previous: b.before });
    expectEqual(await positionsOf(4, f.after), { next: null, previous: b.before });
    expectEqual(await positionsOf(2, b.before), { next: f.after, previous: null });
    expectEqual(await positionsOf(1, b.before), { next: f.after, previous: f.before });
    expectEqual(await positionsOf(9, d.before), { next: positionOf(null, idOf('a'), 'after'), previous: null });
    // A page read from a position always has a position in the opposite direction, even if no row precedes the page.
    expectEqual(await positionsOf(9, { ...c.after, values: ['', idOf('a')] }), { next: null, previous: c.before });
  }),

  contractCase('returns the values of the row next to a position, in the order of the query', async (world) => {
    const { idOf, list } = await populate(world);
    const fields = Object.keys(userListFields).filter((field) => field !== 'id') as UserListField[];
    const { items, next } = await list(listQuery({ order: fields, size: 1 }));
    const [first] = items;
    const values = first && [...fields, 'id' as const].map((field) => listValueOf(userListFields[field], first[field]));
    expectEqual(next, { side: 'after', inclusive: false, values });
    const groups = await list(listQuery({ order: ['groups'], size: 4 }));
    expectEqual(groups.next?.values, ['02', idOf('c')]);
  }),

  contractCase('includes the row of an inclusive position, and accepts a position without a row', async (world) => {
    const people = await populate(world);
    const at = (...position: Parameters<typeof positionOf>) =>
      letters(people, { order, size: 2, position: positionOf(...position) });
    const [b, a] = [people.idOf('b'), people.idOf('a')];
    expectEqual([await at('b@x.org', b, 'after'), await at('b@x.org', b, 'after', true)], ['ea', 'be']);
    expectEqual([await at('b@x.org', b, 'before'), await at('b@x.org', b, 'before', true)], ['cf', 'fb']);
    expectEqual([await at(null, a, 'after'), await at(null, a, 'after', true)], ['d', 'ad']);
    expectEqual([await at(null, a, 'before'), await at(null, a, 'before', true)], ['be', 'ea']);
    for (const inclusive of [true, false]) {
      expectEqual(await at('b@x.org', people.idOf('a'), 'after', inclusive), 'be');
      expectEqual(await at('b@x.org', people.idOf('c'), 'before', inclusive), 'fb');
      expectEqual(await at('m', b, 'after', inclusive), 'ea');
      expectEqual(await at('', b, 'after', inclusive), 'cf');
    }
  }),

  contractCase('leads from an empty page back to the rows next to it', async (world) => {
    const { idOf, list, letterOf } = await populate(world);
    const end = positionOf(null, idOf('d'), 'after');
    const beyond = await list(listQuery({ order, size: 2, position: end }));
    expectEqual(beyond, { items: [], next: null, previous: { ...end, side: 'before', inclusive: true } });
    const last = await list(listQuery({ order, size: 2, position: beyond.previous }));
    expectEqual(last.items.map(letterOf), ['a', 'd']);
    const begin = positionOf('a%b@x.org', idOf('c'), 'before');
    const ahead = await list(listQuery({ order, size: 2, position: begin }));
    expectEqual(ahead, { items: [], next: { ...begin, side: 'after', inclusive: true }, previous: null });
    const first = await list(listQuery({ order, size: 2, position: ahead.next }));
    expectEqual(first.items.map(letterOf), ['c', 'f']);
  }),
];

/** The expected letters in ascending and in descending order of each field. Ties follow the id in the same direction. */
const orders: Readonly<Partial<Record<UserListField, string>>> = {
  id: 'abcdef fedcba',
  username: 'abcdef fedcba',
  email: 'cfbead ebfcda',
  firstName: 'befacd dcafeb',
  lastName: 'acfbed debfca',
  division: 'abcdef fedcba',
  groups: 'dafceb becfad',
  birthdate: 'dacfbe fcadeb',
  isActive: 'ceabdf fdbaec',
  isStaff: 'bcefad dafecb',
  isSuperuser: 'abefcd dcfeba',
  dateJoined: 'bfcead daecfb',
};

/** Returns a user as lists show them. */
const findListed = async ({ users }: World, id: UserId): Promise<Partial<ListedUser>> => {
  const { revision: _, ...user }: Partial<User> = (await users.find(id)) ?? {};
  return user;
};

const searched: readonly UserListField[] = ['username', 'firstName', 'lastName', 'email'];

/** Contract cases for the list of users. */
export const userListContract: readonly ContractCase[] = [
  contractCase('lists references like users, with only id and username', async (world) => {
    const { division, idOf } = await populate(world);
    const position = { side: 'after', inclusive: false, values: ['bea_1', idOf('b')] } as const;
    for (const parts of [
      { order: ['username'] },
      { order: ['-username'], size: 2 },
      { order: ['username'], size: 2, position },
      { order: ['-id'], words: ['a'], searched: ['username'], counted: true },
    ] as const) {
      const query = listQuery<'username'>(parts);
      const { items, ...page } = await world.users.list(division.id, query);
      const references = items.map(({ id, username }) => ({ id, username }));
      expectEqual(await world.users.listReferences(division.id, query), { ...page, items: references });
    }
  }),

  contractCase('lists only users of the division, as found by id but without the revision', async (world) => {
    const people = await populate(world);
    const { items } = await people.list(listQuery({}));
    const found = await Promise.all('abcdef'.split('').map((letter) => findListed(world, people.idOf(letter))));
    expectEqual(items, found);
    const ofOther = { field: 'division', operator: 'eq', value: people.other.id } as const;
    expectEqual(await letters(people, { filters: [ofOther] }), '');
  }),

  contractCase('returns an empty list for a division without users, and for an unknown one', async (world) => {
    const { id } = await storeDivision(world, aDivision());
    for (const division of [id, world.ids.next()]) {
      const page = { items: [], next: null, previous: null };
      expectEqual(await world.users.list(division, listQuery({})), page);
      expectEqual(await world.users.list(division, listQuery({ counted: true })), { ...page, count: 0 });
    }
  }),

  contractCase('counts all rows that match filters and search, on every page, if asked to', async (world) => {
    const people = await populate(world);
    const leaders: Filter<UserListField> = { field: 'groups', operator: 'eq', value: 'Leader' };
    const countOf = async (parts: Partial<ListQuery<UserListField>>) =>
      (await people.list({ ...listQuery({}), counted: true, ...parts })).count;
    expectEqual(await countOf({}), 6);
    expectEqual(await countOf({ size: 1 }), 6);
    expectEqual(await countOf({ filters: [leaders], size: 1 }), 3);
    expectEqual(await countOf({ filters: [leaders], words: ['zebra'], searched: ['lastName'] }), 2);
    const { next } = await people.list(listQuery({ size: 4 }));
    expectEqual(await countOf({ position: next, size: 4 }), 6);
    expectEqual('count' in (await people.list(listQuery({}))), false, 'the presence of a count that was not asked for');
  }),

  contractCase('lists the current name of the division', async (world) => {
    const people = await populate(world);
    await changeDivision(world, people.division.id, { name: 'Renamed' });
    const { items } = await people.list(listQuery({ size: 1 }));
    expectEqual(items, [await findListed(world, people.idOf('a'))]);
    expectEqual(items[0]?.division.name, 'Renamed');
  }),

  contractCase('requires every word of a search in a searched field, without wildcards', async (world) => {
    const people = await populate(world);
    const found = (...words: string[]) => letters(people, { words, searched });
    expectEqual(await found(), 'abcdef');
    expectEqual(await found('zo'), 'ac');
    expectEqual(await found('x.org'), 'bcef');
    expectEqual(await found('zoë', 'zebra'), 'c');
    expectEqual(await found('zebra', 'zoë'), 'c');
    expectEqual(await found('zoë', 'missing'), '');
    expectEqual(await found('f', 'x', 'aab', 'zebra', 'abxc'), 'f');
    expectEqual(await found("o'n"), 'a');
    expectEqual(await found('σεύσ'), 'd');
    expectEqual(await found('\u{1f600}'), 'd');
    expectEqual([await found('%'), await found('_'), await found('\\')], ['ce', 'be', 'e']);
    for (const word of ['b%c\\d', 'a_b', 'c\\']) expectEqual(await found(word), 'e', word);
    // An adapter may separate fields by U+0001.
    for (const word of ['\u0001', 'x.org\u0001a_b%c']) expectEqual(await found(word), '', JSON.stringify(word));
    const query = { words: ['b%c\\d'], searched, order: ['isSuperuser', 'lastName'], counted: true } as const;
    const { count, items } = await people.list(listQuery(query));
    expectEqual([count, items.map(people.letterOf)], [1, ['e']]);
    expectEqual(await letters(people, { words: ['x.org'], searched: ['username'] }), 'f');
    expectEqual(await letters(people, { words: ['e'], searched: ['username'] }), 'be');
  }),

  ...orderCases(orders, populate),

  contractCase('lists by several fields, each in its own direction', async (world) => {
    const people = await populate(world);
    await expectList(people, { order: ['-isActive', 'birthdate'] }, 'dafbce');
    await expectList(people, { order: ['-birthdate', 'isStaff', '-email'] }, 'fcadeb');
    await expectList(people, { order: ['lastName', '-firstName'] }, 'acfbed');
    await expectList(people, { order: ['lastName', 'firstName'] }, 'afcbed');
    await expectList(people, { order: ['isSuperuser', '-groups', 'dateJoined'] }, 'befacd');
  }),

  ...userListFilters,
  ...userListPositions,
];
