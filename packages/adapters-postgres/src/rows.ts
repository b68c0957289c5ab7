import { type Actor, type Division, GROUPS, type Group, type Instant, type Revision, type User } from '@chapter/domain';

/** A user with the division's name, as the columns of {@link USER_COLUMNS} come from the database. */
export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly division_id: string;
  readonly division_name: string;
  readonly groups: string;
  readonly birthdate: string | null;
  readonly is_active: boolean;
  readonly is_staff: boolean;
  readonly is_superuser: boolean;
  readonly date_joined: string;
  readonly version: number;
  readonly name_version: number;
}

/** What is read of a user, from `user_account u join division d`. */
export const USER_COLUMNS = `u.id, u.username, u.email, u.first_name, u.last_name, u.division_id, d.name as division_name,
  u.groups, u.birthdate, u.is_active, u.is_staff, u.is_superuser, u.date_joined, u.version, d.name_version`;

/** What a user is read from. */
export const USER_TABLES = 'user_account u join division d on d.id = u.division_id';

/** A division as its columns come from the database. */
export interface DivisionRow extends Omit<Division, 'revision'> {
  readonly version: number;
}

/** What is read of a division, from `division d`. */
export const DIVISION_COLUMNS = 'd.id, d.name, d.logo, d.fanpage, d.version';

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
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
};

/** The revision of a user, which changes with the user and with the division's name. */
export const userRevision = (version: number, nameVersion: number): Revision => `${version}.${nameVersion}`;

/** The user that a row holds. */
export const toUser = (row: UserRow): User => ({
  id: row.id,
  username: row.username,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  division: { id: row.division_id, name: row.division_name },
  groups: toGroups(row.groups),
  birthdate: row.birthdate,
  isActive: row.is_active,
  isStaff: row.is_staff,
  isSuperuser: row.is_superuser,
  dateJoined: toInstant(row.date_joined),
  revision: userRevision(row.version, row.name_version),
});

/** What is read of a user to know their rights. */
export type ActorRow = Pick<
  UserRow,
  'id' | 'username' | 'division_id' | 'groups' | 'is_active' | 'is_staff' | 'is_superuser'
>;

/** The rights that a user's row gives. */
export const toActor = (row: ActorRow): Actor => ({
  id: row.id,
  username: row.username,
  divisionId: row.division_id,
  groups: toGroups(row.groups),
  isActive: row.is_active,
  isStaff: row.is_staff,
  isSuperuser: row.is_superuser,
});

/** The division that a row holds. */
export const toDivision = ({ id, name, logo, fanpage, version }: DivisionRow): Division => ({
  id,
  name,
  logo,
  fanpage,
  revision: String(version),
});
