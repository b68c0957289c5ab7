import {
  CHANGEABLE_USER_FIELDS,
  type Credentials,
  type DivisionReference,
  fieldsWith,
  GROUPS,
  type Group,
  type ListedUser,
  type PasswordHash,
  type Revision,
  type User,
  type UserListField,
  type UserReference,
  userFields,
  userListFields,
} from '@chapter/domain/ports';
import type { Selectable } from 'kysely';
import type { Row } from '../connection/statement.ts';
import { type List, type ListTable, listColumns } from '../lists/list.ts';
import { userIndexes } from '../schema/indexes.ts';
import {
  fieldsOf,
  toInstant,
  userMapping,
  type WrittenValues,
  writtenColumns,
  writtenValues,
} from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';

const groupsByText = new Map<string, readonly Group[]>();

/** Converts an array of groups from its text form, `{Leader,User}`: pg does not parse arrays of an enum. */
export const toGroups = (text: string): readonly Group[] => {
  const known = groupsByText.get(text);
  if (known) return known;
  const groups = GROUPS.filter((group) => text.slice(1, -1).split(',').includes(group));
  groupsByText.set(text, groups);
  return groups;
};

/** The columns of a {@link ListedUserRow}. `toListedUser` destructures rows in this order. */
const LISTED_ROW_COLUMNS = [
  'id',
  'username',
  'email',
  'first_name',
  'last_name',
  'groups',
  'birthdate',
  'is_active',
  'is_staff',
  'is_superuser',
  'date_joined',
] as const satisfies readonly (typeof userMapping)[UserListField]['column'][];

/** A row of a user in a list, without the division. */
type ListedUserRow = Row<Selectable<Tables['user_account']>, typeof LISTED_ROW_COLUMNS>;

/** The columns from which a user with the division is read, in the order of {@link UserRow}. */
export const USER_COLUMNS = ['division_id', 'division_name', 'version', 'name_version', ...LISTED_ROW_COLUMNS] as const;

/** A row with the {@link USER_COLUMNS}. */
export type UserRow = readonly [
  divisionId: string,
  divisionName: string,
  version: number,
  nameVersion: number,
  ...listed: ListedUserRow,
];

/** The {@link USER_COLUMNS} after the password hash, in the order of {@link CredentialRow}. */
export const CREDENTIAL_COLUMNS = ['password_hash', ...USER_COLUMNS] as const;

/** A row with the {@link CREDENTIAL_COLUMNS}. */
export type CredentialRow = readonly [passwordHash: PasswordHash | null, ...UserRow];

/** The columns of a {@link ListedUserRow} from `user_account as u`, for `select`. */
export const listedSelection = LISTED_ROW_COLUMNS.map((column) => `u.${column}` as const);

/** The {@link USER_COLUMNS} from {@link usersWithDivision}, for `select`. */
export const userSelection = [
  'u.division_id',
  'd.name as division_name',
  'u.version',
  'd.name_version',
  ...listedSelection,
] as const;

/** Joins users (`u`) with their divisions (`d`). */
export const usersWithDivision = db.selectFrom('user_account as u').innerJoin('division as d', 'd.id', 'u.division_id');

/** Returns the revision of a user, which changes with the user and with the division's name. */
export const userRevision = (version: number, nameVersion: number): Revision => `${version}.${nameVersion}`;

/** Returns the numbers in a revision: the version of the user, and that of the division's name. */
export const versionsIn = (revision: Revision): readonly [version: number, nameVersion: number] => {
  const [version = 0, nameVersion = 0] = revision.split('.').map(Number);
  return [version, nameVersion];
};

// One expression destructures a row: a loop over the fields takes more than twice as long.
const toListedUser = (
  [
    id,
    username,
    email,
    firstName,
    lastName,
    groups,
    birthdate,
    isActive,
    isStaff,
    isSuperuser,
    dateJoined,
  ]: ListedUserRow,
  division: DivisionReference,
): ListedUser => ({
  id,
  username,
  email,
  firstName,
  lastName,
  division,
  groups: toGroups(groups),
  birthdate,
  isActive,
  isStaff,
  isSuperuser,
  dateJoined: toInstant(dateJoined),
});

/** Converts a row to a user. */
export const toUser = ([divisionId, divisionName, version, nameVersion, ...listed]: UserRow): User => ({
  ...toListedUser(listed, { id: divisionId, name: divisionName }),
  revision: userRevision(version, nameVersion),
});

/** Converts a row to a user with the password hash. */
export const toCredentials = ([passwordHash, ...row]: CredentialRow): Credentials => ({
  user: toUser(row),
  passwordHash,
});

type WrittenField = (typeof CHANGEABLE_USER_FIELDS)[number];

/** The columns of a user that both a creation and a change write. */
export const WRITTEN_USER_COLUMNS = writtenColumns(userMapping, CHANGEABLE_USER_FIELDS);

/** The values of {@link WRITTEN_USER_COLUMNS}. */
export type UserColumns = WrittenValues<typeof userMapping, WrittenField, User>;

/** Returns the written columns of a user with their values, including the case-folded keys. */
export const userColumns = (user: Pick<User, WrittenField>): UserColumns =>
  writtenValues<typeof userMapping, User, WrittenField>(userMapping, CHANGEABLE_USER_FIELDS, user);

const STORED_USER_FIELDS = fieldsOf(userMapping);

/** Returns all columns of a user with their values, as an import writes them. */
export const allUserColumns = (user: User): Readonly<Record<string, unknown>> =>
  Object.assign(
    writtenValues<typeof userMapping, User, keyof typeof userMapping>(userMapping, STORED_USER_FIELDS, user),
    { division_id: user.division.id },
  );

const columns = listColumns(userListFields, userMapping);

const users = {
  table: 'user_account',
  indexes: userIndexes,
  isOfDivision: true,
  columns,
  defaultColumn: columns.dateJoined,
  search: { column: 'search', fields: fieldsWith(userFields, 'searched', true) },
} satisfies Partial<ListTable>;

/** The users of one division. */
export const userList: List<ListedUser> = {
  ...users,
  name: 'users',
  select: LISTED_ROW_COLUMNS,
  hasHeader: true,
  advice: { filter: 'last_name', order: 'one field other than groups and flags' },
  toItem: toListedUser,
};

/** The users of one division, as references. */
export const userReferenceList: List<UserReference> = {
  ...users,
  name: 'user references',
  select: ['id', 'username'],
  hasHeader: false,
  advice: {},
  toItem: ([id, username]: readonly [id: string, username: string]) => ({ id, username }),
};
