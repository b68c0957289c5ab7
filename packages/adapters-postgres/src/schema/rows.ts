import {
  type Actor,
  type Division,
  type DivisionReference,
  GROUPS,
  type Group,
  type Instant,
  type ListedUser,
  type Revision,
  type User,
} from '@chapter/domain';

/** What is read of a user in a list of one division, from `user_account u`: a {@link ListedUserRow}. */
export const LISTED_USER_COLUMNS: readonly string[] = [
  'u.id',
  'u.username',
  'u.email',
  'u.first_name',
  'u.last_name',
  'u.groups',
  'u.birthdate',
  'u.is_active',
  'u.is_staff',
  'u.is_superuser',
  'u.date_joined',
];

/** A user in a list, as {@link LISTED_USER_COLUMNS} come from the database. */
export type ListedUserRow = readonly [
  id: string,
  username: string,
  email: string | null,
  firstName: string,
  lastName: string,
  groups: string,
  birthdate: string | null,
  isActive: boolean,
  isStaff: boolean,
  isSuperuser: boolean,
  dateJoined: string,
];

/** What is read of a user, from {@link USER_TABLES}: a {@link UserRow}. */
export const USER_COLUMNS: readonly string[] = [
  'u.division_id',
  'd.name',
  'u.version',
  'd.name_version',
  ...LISTED_USER_COLUMNS,
];

/** A user with the division's name, as {@link USER_COLUMNS} come from the database. */
export type UserRow = readonly [
  divisionId: string,
  divisionName: string,
  version: number,
  nameVersion: number,
  ...listed: ListedUserRow,
];

/** What a user is read from. */
export const USER_TABLES = 'user_account u join division d on d.id = u.division_id';

/** What is read of a user to know their rights, from `user_account u`: an {@link ActorRow}. */
export const ACTOR_COLUMNS: readonly string[] = [
  'u.id',
  'u.username',
  'u.division_id',
  'u.groups',
  'u.is_active',
  'u.is_staff',
  'u.is_superuser',
];

/** A user's rights as {@link ACTOR_COLUMNS} come from the database. */
export type ActorRow = readonly [
  id: string,
  username: string,
  divisionId: string,
  groups: string,
  isActive: boolean,
  isStaff: boolean,
  isSuperuser: boolean,
];

/** What is read of a division, from `division d`: a {@link DivisionRow}. */
export const DIVISION_COLUMNS: readonly string[] = ['d.id', 'd.name', 'd.logo', 'd.fanpage', 'd.version'];

/** A division as {@link DIVISION_COLUMNS} come from the database. */
export type DivisionRow = readonly [
  id: string,
  name: string,
  logo: string | null,
  fanpage: string | null,
  version: number,
];

const groupsByText = new Map<string, readonly Group[]>();

/** An array of groups from its text form, `{Leader,User}`. */
const toGroups = (text: string): readonly Group[] => {
  const known = groupsByText.get(text);
  if (known) return known;
  const groups = GROUPS.filter((group) => text.slice(1, -1).split(',').includes(group));
  groupsByText.set(text, groups);
  return groups;
};

/** An instant from `2024-01-31 10:20:30.5+00`, the text form of a connection whose time zone is UTC. */
export const toInstant = (text: string): Instant => {
  const fraction = text[19] === '.' ? text.slice(20, -3).padEnd(3, '0') : '000';
  // Joined, and not put together by a template, which the engine would keep in parts: with a single text in parts, a whole
  // page of JSON takes twice as long.
  return [text.slice(0, 10), 'T', text.slice(11, 19), '.', fraction, 'Z'].join('');
};

/** The revision of a user, which changes with the user and with the division's name. */
export const userRevision = (version: number, nameVersion: number): Revision => `${version}.${nameVersion}`;

/** The user that a row of a list of the division holds. */
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

/** The user that a row holds. */
export const toUser = ([divisionId, divisionName, version, nameVersion, ...listed]: UserRow): User => ({
  ...toListedUser(listed, { id: divisionId, name: divisionName }),
  revision: userRevision(version, nameVersion),
});

/** The rights that a row holds. */
export const toActor = ([id, username, divisionId, groups, isActive, isStaff, isSuperuser]: ActorRow): Actor => ({
  id,
  username,
  divisionId,
  groups: toGroups(groups),
  isActive,
  isStaff,
  isSuperuser,
});

/** The rights of a user. */
export const actorOf = ({ id, username, division, groups, isActive, isStaff, isSuperuser }: User): Actor => ({
  id,
  username,
  divisionId: division.id,
  groups,
  isActive,
  isStaff,
  isSuperuser,
});

/** The division that a row holds. */
export const toDivision = ([id, name, logo, fanpage, version]: DivisionRow): Division => ({
  id,
  name,
  logo,
  fanpage,
  revision: String(version),
});
