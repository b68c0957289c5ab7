import {
  CHANGEABLE_USER_FIELDS,
  type DivisionReference,
  GROUPS,
  type Group,
  type ListedUser,
  type Revision,
  type User,
  type UserListField,
} from '@chapter/domain';
import type { Selectable } from 'kysely';
import type { Row } from '../connection/statement.ts';
import { toInstant, type WrittenValues, writtenColumns, writtenValues } from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';
import { userMapping } from '../schema/user-mapping.ts';

const groupsByText = new Map<string, readonly Group[]>();

/** Returns the groups of an array in its text form, `{Leader,User}`, in which pg gives arrays of an enum. */
export const toGroups = (text: string): readonly Group[] => {
  const known = groupsByText.get(text);
  if (known) return known;
  const groups = GROUPS.filter((group) => text.slice(1, -1).split(',').includes(group));
  groupsByText.set(text, groups);
  return groups;
};

// The order of the fields in a row; toListedUser reads them in this order.
const LISTED_FIELDS = [
  'id',
  'username',
  'email',
  'firstName',
  'lastName',
  'groups',
  'birthdate',
  'isActive',
  'isStaff',
  'isSuperuser',
  'dateJoined',
] as const satisfies readonly UserListField[];

type ColumnsOf<Fields extends readonly UserListField[]> = {
  readonly [At in keyof Fields]: (typeof userMapping)[Fields[At]]['column'];
};

/** The columns of a {@link ListedUserRow}. */
export const LISTED_USER_COLUMNS = LISTED_FIELDS.map((field) => userMapping[field].column) as unknown as ColumnsOf<
  typeof LISTED_FIELDS
>;

/** A user in a list, as the columns of its fields come from the database. */
export type ListedUserRow = Row<Selectable<Tables['user_account']>, typeof LISTED_USER_COLUMNS>;

/** The columns of a user with the division: a {@link UserRow}. */
export const USER_COLUMNS = [
  'division_id',
  'division_name',
  'version',
  'name_version',
  ...LISTED_USER_COLUMNS,
] as const;

/** A user with the division's name, as {@link USER_COLUMNS} come from the database. */
export type UserRow = readonly [
  divisionId: string,
  divisionName: string,
  version: number,
  nameVersion: number,
  ...listed: ListedUserRow,
];

/** The columns of a {@link ListedUserRow} of `user_account as u`. */
export const listedSelection = LISTED_USER_COLUMNS.map((column) => `u.${column}` as const);

/** Selects {@link USER_COLUMNS} from {@link usersWithDivision}. */
export const userSelection = [
  'u.division_id',
  'd.name as division_name',
  'u.version',
  'd.name_version',
  ...listedSelection,
] as const;

/** Users, `u`, and their divisions, `d`. */
export const usersWithDivision = db.selectFrom('user_account as u').innerJoin('division as d', 'd.id', 'u.division_id');

/** Returns the revision of a user, which changes with the user and with the division's name. */
export const userRevision = (version: number, nameVersion: number): Revision => `${version}.${nameVersion}`;

// It reads a row in one expression, because a loop over the fields takes more than twice as long.
/** Returns the user that a row of a list of the division holds. */
export const toListedUser = (
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

/** Returns the user that a row holds. */
export const toUser = ([divisionId, divisionName, version, nameVersion, ...listed]: UserRow): User => ({
  ...toListedUser(listed, { id: divisionId, name: divisionName }),
  revision: userRevision(version, nameVersion),
});

type WrittenField = (typeof CHANGEABLE_USER_FIELDS)[number];

/** The columns of a user that a creation and every change write. */
export const WRITTEN_COLUMNS = writtenColumns(userMapping, CHANGEABLE_USER_FIELDS);

/** The values of {@link WRITTEN_COLUMNS}. */
export type UserColumns = WrittenValues<typeof userMapping, WrittenField, User>;

/** Returns what is written of a user: the fields, and their keys in the form in which they are compared. */
export const userColumns = (user: Pick<User, WrittenField>): UserColumns =>
  writtenValues<typeof userMapping, User, WrittenField>(userMapping, CHANGEABLE_USER_FIELDS, user);
