import type { ListValue, Operator, UserListField } from '../../lists/list-fields.ts';
import type { Filter } from '../../lists/list-query.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { letters } from './list-walk.ts';
import { JOINED, populate } from './user-list-population.ts';

type Row = readonly [Operator, ListValue | readonly ListValue[], string];

/** By field: operator, value, and the letters of the users that match. */
const filters: Partial<Record<UserListField, readonly Row[]>> = {
  username: [
    ['eq', 'ada', 'a'],
    ['eq', 'c+d', 'c'],
    ['eq', 'ad', ''],
    ['eq', '', ''],
    ['in', ['ada', 'dora', 'unknown', 'ada'], 'ad'],
    ['in', [], ''],
    ['lt', 'c+d', 'ab'],
    ['lte', 'c+d', 'abc'],
    ['gt', 'dora', 'ef'],
    ['gte', 'dora', 'def'],
  ],
  email: [
    ['eq', 'b@x.org', 'b'],
    ['in', ['z@x.org', 'a%b@x.org', 'unknown'], 'ce'],
    ['isnull', true, 'ad'],
    ['isnull', false, 'bcef'],
    ['lt', 'b', 'cf'],
    ['gte', '', 'bcef'],
    ['icontains', 'a', 'cf'],
    ['icontains', '', 'bcef'],
    ['istartswith', 'a%', 'c'],
  ],
  firstName: [
    ['eq', '', 'b'],
    ['eq', 'zoë', 'ac'],
    ['eq', 'οδυσσεύσ', 'd'],
    ['icontains', 'o', 'ac'],
    ['icontains', 'σσ', 'd'],
    ['icontains', '%', 'e'],
    ['icontains', '_', 'e'],
    ['icontains', '\\', 'e'],
    ['icontains', 'a_b', 'e'],
    ['icontains', 'bx', 'f'],
    ['icontains', '', 'abcdef'],
    ['istartswith', 'a', 'ef'],
    ['istartswith', 'a_', 'e'],
    ['istartswith', '%', ''],
    ['istartswith', 'zoë', 'ac'],
    ['istartswith', 'oë', ''],
    ['istartswith', '', 'abcdef'],
  ],
  lastName: [
    ['eq', "o'neil", 'a'],
    ['in', ['zebra', 'ähre'], 'bcf'],
    ['gt', 'z', 'bcdef'],
    ['gt', 'ähre', 'de'],
    ['gte', '\u{1f600}', 'd'],
    ['lt', '\u{1f600}', 'abcef'],
    ['lt', '\uff5e', 'abcf'],
    ['istartswith', '\u{1f600}', 'd'],
  ],
  groups: [
    ['eq', 'Leader', 'acf'],
    ['eq', 'Guest', 'ef'],
    ['eq', 'User', 'bcef'],
    ['in', ['Leader', 'Guest'], 'acef'],
    ['in', ['Guest'], 'ef'],
    ['in', [], ''],
  ],
  birthdate: [
    ['eq', '1990-05-05', 'ac'],
    ['in', ['1985-12-31', '2001-02-28'], 'df'],
    ['lt', '1990-05-05', 'd'],
    ['lte', '1990-05-05', 'acd'],
    ['gt', '1990-05-05', 'f'],
    ['gte', '1990-05-05', 'acf'],
    ['isnull', true, 'be'],
    ['isnull', false, 'acdf'],
  ],
  isActive: [
    ['eq', true, 'abdf'],
    ['eq', false, 'ce'],
    ['in', [false], 'ce'],
    ['in', [true, false], 'abcdef'],
    ['in', [], ''],
  ],
  isStaff: [
    ['eq', true, 'ad'],
    ['eq', false, 'bcef'],
  ],
  isSuperuser: [
    ['eq', true, 'cd'],
    ['eq', false, 'abef'],
  ],
  dateJoined: [
    ['eq', JOINED[1], 'ce'],
    ['in', [JOINED[0], JOINED[2]], 'abdf'],
    ['lt', JOINED[1], 'bf'],
    ['lte', JOINED[1], 'bcef'],
    ['gt', JOINED[1], 'ad'],
    ['gte', JOINED[1], 'acde'],
    ['gt', '2026-01-01T10:00:00.003Z', 'ad'],
  ],
};

/** Builds a filter from a row of the table. */
const filterOf = (field: UserListField, [operator, value]: Row) =>
  ({ field, operator, value }) as Filter<UserListField>;

/** Contract cases for the filters of the user list. */
export const userListFilters: readonly ContractCase[] = [
  ...(Object.entries(filters) as [UserListField, readonly Row[]][]).map(([field, rows]) =>
    contractCase(`filters by ${field}`, async (world) => {
      const people = await populate(world);
      for (const row of rows) {
        const [operator, value, expected] = row;
        const what = `${field} ${operator} ${JSON.stringify(value)}`;
        expectEqual(await letters(people, { filters: [filterOf(field, row)] }), expected, what);
      }
    }),
  ),

  contractCase('filters by id and by division', async (world) => {
    const { idOf, division, other, ...people } = await populate(world);
    const lettersOf = (field: UserListField, row: Row) => letters(people, { filters: [filterOf(field, row)] });
    expectEqual(await lettersOf('id', ['eq', idOf('c'), '']), 'c');
    expectEqual(await lettersOf('id', ['in', [idOf('f'), world.ids.next(), idOf('a')], '']), 'af');
    expectEqual(await lettersOf('id', ['eq', world.ids.next(), '']), '');
    expectEqual(await lettersOf('division', ['eq', division.id, '']), 'abcdef');
    expectEqual(await lettersOf('division', ['in', [other.id, division.id], '']), 'abcdef');
    expectEqual(await lettersOf('division', ['in', [other.id], '']), '');
  }),

  contractCase('combines filters with AND', async (world) => {
    const people = await populate(world);
    const lettersOf = (...rows: [UserListField, ...Row][]) =>
      letters(people, { filters: rows.map(([field, operator, value]) => filterOf(field, [operator, value, ''])) });
    expectEqual(await lettersOf(['isActive', 'eq', true, ''], ['birthdate', 'isnull', true, '']), 'b');
    expectEqual(await lettersOf(['groups', 'eq', 'Leader', ''], ['groups', 'in', ['User'], '']), 'cf');
    expectEqual(await lettersOf(['username', 'gte', 'b', ''], ['username', 'lt', 'e', '']), 'bcd');
    expectEqual(await lettersOf(['username', 'gt', 'e', ''], ['username', 'lt', 'b', '']), '');
    expectEqual(await lettersOf(['email', 'isnull', true, ''], ['email', 'icontains', '', '']), '');
  }),
];
