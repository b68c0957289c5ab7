import {
  fieldsWith,
  type ListedUser,
  type User,
  type UserListField,
  userFields,
  userListFields,
} from '@chapter/domain';
import type { List, ListTable } from '../lists/list.ts';
import { userIndexes } from '../schema/indexes.ts';
import { listColumns } from '../schema/mapping.ts';
import { userMapping } from '../schema/user-mapping.ts';
import { LISTED_ROW_COLUMNS, type ListedUserRow, toListedUser } from './user-rows.ts';

const users = {
  table: 'user_account',
  indexes: userIndexes,
  fields: userListFields,
  columns: listColumns(userMapping),
  defaultField: 'dateJoined',
  search: { column: 'search', fields: fieldsWith(userFields, 'searched', true) },
} satisfies Partial<ListTable<UserListField>>;

/** The users of one division. */
export const userList: List<UserListField, ListedUser, ListedUserRow, readonly [divisionName: string]> = {
  ...users,
  name: 'users',
  select: LISTED_ROW_COLUMNS,
  hasHeader: true,
  makeToItem: ([name], scope) => {
    const division = { id: scope === 'all' ? '' : scope.divisionId, name };
    return (row) => toListedUser(row, division);
  },
};

/** A user as a list of references shows them. */
type Reference = Pick<User, 'id' | 'username'>;

/** The same users, with the columns that references show. */
export const userReferenceList: List<UserListField, Reference, readonly [id: string, username: string]> = {
  ...users,
  name: 'user references',
  select: ['id', 'username'],
  hasHeader: false,
  makeToItem:
    () =>
    ([id, username]) => ({ id, username }),
};
