import type { ListValue, Operator, UserListField } from '../../lists/list-fields.ts';
import type { Filter } from '../../lists/list-query.ts';
import { type ContractCase, promise } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { letters } from './list-walk.ts';
import { JOINED, populate } from './user-list-population.ts';

type Row = readonly [Operator, ListValue | readonly ListValue[], string];

/** What is compared, and the letters of those who pass. */
const filters: Partial<Record<UserListField, readonly Row[]>> = {
  username: [
    ['eq', 'ada', 'a'],
    ['eq', 'c+d', 'c'],
    ['eq', 'ad', ''],
    ['eq', '', ''],
    ['in', ['ada', 'dora', 'nobody', 'ada'], 'ad'],
    ['in', [], ''],
    ['lt', 'c+d', 'ab'],
    ['lte', 'c+d', 'abc'],
    ['gt', 'dora', 'ef'],
    ['gte', 'dora', 'def'],
  ],
  email: [
    ['eq', 'b@x.org', 'b'],
    ['in', ['z@x.org', 'a%b@x.org', 'nobody'], 'ce'],
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

/** A filter from a row of the table, whose operators and values fit together. */
const filterOf = (field: UserListField, [operator, value]: Row) =>
  ({ field, operator, value }) as Filter<UserListField>;

/** What filters of the user list promise. */
export const userListFilters: readonly ContractCase[] = [
  ...(Object.entries(filters) as [UserListField, readonly Row[]][]).map(([field, rows]) =>
    promise(`filters by ${field}`, async (world) => {
      const people = await populate(world);
      for (const row of rows) {
        const [operator, value, passing] = row;
        const what = `${field} ${operator} ${JSON.stringify(value)}`;
        expectEqual(await letters(people, { filters: [filterOf(field, row)] }), passing, what);
      }
    }),
  ),

  promise('filters by id and by division', async (world) => {
    const { idOf, division, other, ...people } = await populate(world);
    const found = (field: UserListField, row: Row) => letters(people, { filters: [filterOf(field, row)] });
    expectEqual(await found('id', ['eq', idOf('c'), '']), 'c');
    expectEqual(await found('id', ['in', [idOf('f'), world.ids.next(), idOf('a')], '']), 'af');
    expectEqual(await found('id', ['eq', world.ids.next(), '']), '');
    expectEqual(await found('division', ['eq', division.id, '']), 'abcdef');
    expectEqual(await found('division', ['in', [other.id, division.id], '']), 'abcdef');
    expectEqual(await found('division', ['in', [other.id], '']), '');
  }),

  promise('lets through what passes every filter', async (world) => {
    const people = await populate(world);
    const found = (...rows: [UserListField, ...Row][]) =>
      letters(people, { filters: rows.map(([field, operator, value]) => filterOf(field, [operator, value, ''])) });
    expectEqual(await found(['isActive', 'eq', true, ''], ['birthdate', 'isnull', true, '']), 'b');
    expectEqual(await found(['groups', 'eq', 'Leader', ''], ['groups', 'in', ['User'], '']), 'cf');
    expectEqual(await found(['username', 'gte', 'b', ''], ['username', 'lt', 'e', '']), 'bcd');
    expectEqual(await found(['username', 'gt', 'e', ''], ['username', 'lt', 'b', '']), '');
    expectEqual(await found(['email', 'isnull', true, ''], ['email', 'icontains', '', '']), '');
  }),
];
