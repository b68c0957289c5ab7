import type { DivisionListField, ListValue, Operator } from '../../lists/list-fields.ts';
import { type Filter, listQuery } from '../../lists/list-query.ts';
import type { Division } from '../../model/division.ts';
import { aDivision, aUser } from '../builders/builders.ts';
import { storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { expectList, letters, orderCases, type TestedList } from './list-walk.ts';

/** Divisions by letter, in the order of their ids. */
const divisions: Readonly<Record<string, Partial<Division>>> = {
  a: { name: 'Ost', logo: 'https://x.org/Z' },
  b: { name: 'ost_1' },
  c: { name: 'Ärger', logo: 'https://x.org/a', fanpage: 'http://b.org/%' },
  d: { name: '\u{1f600}', fanpage: 'http://a.org/' },
  e: { name: 'ΣΑΣ 100%' },
};

const populate = async (world: World) => {
  const ids: Record<string, string> = {};
  for (const [letter, values] of Object.entries(divisions)) {
    ids[letter] = (await storeDivision(world, aDivision().with(values))).id;
  }
  const letterOf = ({ id }: Pick<Division, 'id'>) => Object.keys(ids).find((letter) => ids[letter] === id) ?? '?';
  const tested: TestedList<Division, DivisionListField> = { list: (query) => world.divisions.list(query), letterOf };
  return { ...tested, idOf: (letter: string) => ids[letter] ?? '' };
};

const orders = { id: 'abcde edcba', name: 'abced decba', logo: 'cabde acedb', fanpage: 'dcabe cdeba' };

const filters: readonly (readonly [DivisionListField, Operator, ListValue | readonly ListValue[], string])[] = [
  ['name', 'eq', 'ost', 'a'],
  ['name', 'in', ['ost', 'ärger', 'west'], 'ac'],
  ['name', 'icontains', 'ost', 'ab'],
  ['name', 'icontains', '_', 'b'],
  ['name', 'icontains', 'ασ', 'e'],
  ['name', 'istartswith', 'σ', 'e'],
  ['name', 'gt', 'ost', 'bcde'],
  ['name', 'lte', 'ost_1', 'ab'],
  ['logo', 'isnull', true, 'bde'],
  ['logo', 'eq', 'https://x.org/z', 'a'],
  ['fanpage', 'isnull', false, 'cd'],
  ['fanpage', 'icontains', '%', 'c'],
  ['fanpage', 'lt', 'http://b', 'd'],
];

/** Contract cases for the list of divisions. */
export const divisionListContract: readonly ContractCase[] = [
  contractCase('lists all divisions, with and without users, as they are found by id', async (world) => {
    const { idOf, list } = await populate(world);
    const stored = await Promise.all('abcde'.split('').map((letter) => world.divisions.find(idOf(letter))));
    const [ost] = stored;
    if (ost) for (const user of [aUser(), aUser()]) await storeUser(world, user.of(ost));
    expectEqual(await list(listQuery({ counted: true })), { items: stored, next: null, previous: null, count: 5 });
  }),

  ...orderCases(orders, populate),

  contractCase('filters by every field', async (world) => {
    const tested = await populate(world);
    for (const [field, operator, value, expected] of filters) {
      // The table pairs each operator with a value of its type.
      const filter = { field, operator, value } as Filter<DivisionListField>;
      expectEqual(await letters(tested, { filters: [filter] }), expected, JSON.stringify(filter));
    }
    const byId = { field: 'id', operator: 'in', value: [tested.idOf('d'), tested.idOf('b')] } as const;
    expectEqual(await letters(tested, { filters: [byId] }), 'bd');
    const both = [byId, { field: 'fanpage', operator: 'isnull', value: false }] as const;
    expectEqual(await letters(tested, { filters: both }), 'd');
  }),

  contractCase('combines search, filters, order and count', async (world) => {
    const tested = await populate(world);
    const lettersFor = (...words: string[]) => letters(tested, { words, searched: ['name'] });
    expectEqual([await lettersFor('ost'), await lettersFor('1', 'ost')], ['ab', 'b']);
    expectEqual([await lettersFor('%'), await lettersFor('x.org')], ['e', '']);
    const filters = [{ field: 'fanpage', operator: 'isnull', value: true }] as const;
    const parts = { filters, words: ['s'], searched: ['name'], order: ['-name'] } as const;
    await expectList(tested, parts, 'ba');
    expectEqual((await tested.list(listQuery({ ...parts, size: 1, counted: true }))).count, 2);
  }),
];
