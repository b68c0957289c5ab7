import {
  type DivisionId,
  fieldsWith,
  type ListedUser,
  type User,
  type UserListField,
  userFields,
  userListFields,
} from '@chapter/domain';
import type { List } from '../lists/lists.ts';
import { listColumns, orderIndexes, uniqueFields } from '../schema/mapping.ts';
import { userMapping } from '../schema/user-mapping.ts';
import { type ListedUserRow, listedSelection, toListedUser } from './user-rows.ts';

const tokenOfFlag = (column: string) => (value: string) => `${value === 'true' ? '' : 'not '}${column}`;

const ordered = orderIndexes('u', userMapping);

const ofUsers = {
  fields: userListFields,
  columns: listColumns('u', userMapping),
  // The index of the default order includes the column of the search.
  ordered: { ...ordered, dateJoined: [...(ordered.dateJoined ?? []), 'u.search'] },
  unique: uniqueFields(userMapping),
  scoped: ['division'],
  search: {
    column: 'u.search',
    fields: fieldsWith(userFields, 'searched', true),
    // As text it is in this index alone: no other one is taken by mistake.
    scope: 'u.division_id::text = ?',
  },
  tokens: {
    expression: 'member_tokens(u.division_id, u.search, u.groups, u.is_active, u.is_staff, u.is_superuser)',
    ofScope: true,
    ofValue: {
      division: (value) => value,
      groups: (value) => value,
      isActive: tokenOfFlag('is_active'),
      isStaff: tokenOfFlag('is_staff'),
      isSuperuser: tokenOfFlag('is_superuser'),
    },
  },
  table: 'user_account',
  alias: 'u',
  scope: 'u.division_id = ?',
} satisfies Partial<List<UserListField, unknown, readonly unknown[]>>;

/** The users of one division. */
export const userList: List<UserListField, ListedUser, ListedUserRow, readonly [divisionName: string]> = {
  ...ofUsers,
  name: 'users',
  select: listedSelection,
  listed: { order: 'dateJoined', columns: ['u.division_id', ...listedSelection], condition: "u.username >= ''" },
  head: { select: ['d.name'], table: 'division d', scope: 'd.id = ?' },
  makeToItem: ([name], [id]) => {
    const division = { id: id as DivisionId, name };
    return (row) => toListedUser(row, division);
  },
};

/** A user as a list of references shows them. */
type Reference = Pick<User, 'id' | 'username'>;

/** The same users, with the columns that references show. */
export const userReferenceList: List<UserListField, Reference, readonly [id: string, username: string]> = {
  ...ofUsers,
  name: 'user references',
  select: ['u.id', 'u.username'],
  makeToItem:
    () =>
    ([id, username]) => ({ id, username }),
};
