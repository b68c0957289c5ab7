import { type ListValue, type Operator, type UserListField, userListFields } from '../../lists/list-fields.ts';
import type { Filter } from '../../lists/list-query.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { letters } from './list-walk.ts';
import { JOINED, populate } from './user-list-population.ts';

/** Letters of the users that match a filter, by its value as a query has it: values of `in` are separated by commas. */
type Matches = Readonly<Record<string, string>>;

const [first, second, third] = JOINED;

/** By field and operator, the values and the letters of the users that match. */
const filters: Partial<Record<UserListField, Partial<Record<Operator, Matches>>>> = {
  username: {
    eq: { ada: 'a', 'c+d': 'c', ad: '', '': '' },
    in: { 'ada,dora,unknown,ada': 'ad', '': '' },
    lt: { 'c+d': 'ab' },
    lte: { 'c+d': 'abc' },
    gt: { dora: 'ef' },
    gte: { dora: 'def' },
  },
  email: {
    eq: { 'b@x.org': 'b' },
    in: { 'z@x.org,a%b@x.org,unknown': 'ce' },
    isnull: { true: 'ad', false: 'bcef' },
    lt: { b: 'cf' },
    gte: { '': 'bcef' },
    icontains: { a: 'cf', '': 'bcef' },
    istartswith: { 'a%': 'c' },
  },
  firstName: {
    eq: { '': 'b', zoë: 'ac', οδυσσεύσ: 'd' },
    icontains: { o: 'ac', σσ: 'd', '%': 'e', _: 'e', '\\': 'e', a_b: 'e', bx: 'f', '\u0001': '', '': 'abcdef' },
    istartswith: { a: 'ef', a_: 'e', '%': '', zoë: 'ac', oë: '', '': 'abcdef' },
  },
  lastName: {
    eq: { "o'neil": 'a' },
    in: { 'zebra,ähre': 'bcf' },
    gt: { z: 'bcdef', ähre: 'de' },
    gte: { '\u{1f600}': 'd' },
    lt: { '\u{1f600}': 'abcef', '\uff5e': 'abcf' },
    istartswith: { '\u{1f600}': 'd' },
  },
  groups: {
    eq: { Leader: 'acf', Guest: 'ef', User: 'bcef' },
    in: { 'Leader,Guest': 'acef', Guest: 'ef', '': '' },
  },
  birthdate: {
    eq: { '1990-05-05': 'ac' },
    in: { '1985-12-31,2001-02-28': 'df' },
    lt: { '1990-05-05': 'd' },
    lte: { '1990-05-05': 'acd' },
    gt: { '1990-05-05': 'f' },
    gte: { '1990-05-05': 'acf' },
    isnull: { true: 'be', false: 'acdf' },
  },
  isActive: {
    eq: { true: 'abdf', false: 'ce' },
    in: { false: 'ce', 'true,false': 'abcdef', '': '' },
  },
  isStaff: { eq: { true: 'ad', false: 'bcef' } },
  isSuperuser: { eq: { true: 'cd', false: 'abef' } },
  dateJoined: {
    eq: { [second]: 'ce' },
    in: { [`${first},${third}`]: 'abdf' },
    lt: { [second]: 'bf' },
    lte: { [second]: 'bcef' },
    gt: { [second]: 'ad', '2026-01-01T10:00:00.003Z': 'ad' },
    gte: { [second]: 'acde' },
  },
};

/** Makes a filter. The text of a boolean is `true` or `false`. */
const filterOf = (field: UserListField, operator: Operator, text: string) => {
  const isBoolean = operator === 'isnull' || userListFields[field].kind === 'boolean';
  const valueOf = (one: string): ListValue => (isBoolean ? one === 'true' : one);
  const value = operator === 'in' ? text.split(',').filter(Boolean).map(valueOf) : valueOf(text);
  return { field, operator, value } as Filter<UserListField>;
};

/** Contract cases for the filters of the user list. */
export const userListFilters: readonly ContractCase[] = [
  ...(Object.entries(filters) as [UserListField, Partial<Record<Operator, Matches>>][]).map(([field, byOperator]) =>
    contractCase(`filters by ${field}`, async (world) => {
      const people = await populate(world);
      for (const [operator, matches] of Object.entries(byOperator)) {
        for (const [text, expected] of Object.entries(matches)) {
          const found = await letters(people, { filters: [filterOf(field, operator as Operator, text)] });
          expectEqual(found, expected, `${field} ${operator} ${text}`);
        }
      }
    }),
  ),

  contractCase('filters by id and by division', async (world) => {
    const { idOf, division, other, ...people } = await populate(world);
    const lettersOf = (...filter: Parameters<typeof filterOf>) => letters(people, { filters: [filterOf(...filter)] });
    expectEqual(await lettersOf('id', 'eq', idOf('c')), 'c');
    expectEqual(await lettersOf('id', 'in', `${idOf('f')},${world.ids.next()},${idOf('a')}`), 'af');
    expectEqual(await lettersOf('id', 'eq', world.ids.next()), '');
    expectEqual(await lettersOf('division', 'eq', division.id), 'abcdef');
    expectEqual(await lettersOf('division', 'in', `${other.id},${division.id}`), 'abcdef');
    expectEqual(await lettersOf('division', 'in', other.id), '');
  }),

  contractCase('combines filters with AND', async (world) => {
    const people = await populate(world);
    const lettersOf = (...all: Parameters<typeof filterOf>[]) =>
      letters(people, { filters: all.map((filter) => filterOf(...filter)) });
    expectEqual(await lettersOf(['isActive', 'eq', 'true'], ['birthdate', 'isnull', 'true']), 'b');
    expectEqual(await lettersOf(['groups', 'eq', 'Leader'], ['groups', 'in', 'User']), 'cf');
    expectEqual(await lettersOf(['username', 'gte', 'b'], ['username', 'lt', 'e']), 'bcd');
    expectEqual(await lettersOf(['username', 'gt', 'e'], ['username', 'lt', 'b']), '');
    expectEqual(await lettersOf(['email', 'isnull', 'true'], ['email', 'icontains', '']), '');
  }),
];
