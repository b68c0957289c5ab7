import {
  type Division,
  type DivisionListField,
  divisionListFields,
  type ListField,
  type User,
  type UserListField,
  userListFields,
} from '@chapter/domain';
import {
  DIVISION_COLUMNS,
  type DivisionRow,
  toDivision,
  toUser,
  USER_COLUMNS,
  USER_TABLES,
  type UserRow,
} from '../rows.ts';

/** What a list's conditions and orders are made of. */
export interface Columns<Field extends string> {
  readonly fields: Readonly<Record<Field, ListField>>;
  /** The column that each visible field is compared by. */
  readonly columns: Readonly<Record<Field, string>>;
  /** A column with a trigram index that holds all of these fields. */
  readonly search?: { readonly column: string; readonly fields: readonly Field[] };
}

/** What is known of a list's indexes, and how its rows are read where conditions follow. */
export interface Indexes<Field extends string> {
  /** Fields that begin an order which an index has. */
  readonly ordered: readonly Field[];
  /** Fields of which every value belongs to one row at most. */
  readonly unique: readonly Field[];
  /** A row with everything that conditions may speak of, and what is then read of it as `u`. */
  readonly whole: string;
  readonly selectOfWhole: string;
}

/** A list in SQL. */
export interface List<Field extends string, Item, Row extends readonly unknown[]> extends Columns<Field> {
  /** What a row is read as, and from where. */
  readonly select: string;
  readonly from: string;
  /** From where it is enough to count. */
  readonly countFrom: string;
  /** The condition that limits the list, with a `?` for each value that the repository gives. */
  readonly scope: string;
  /** A list without indexes is short enough to be sorted each time. */
  readonly indexes?: Indexes<Field>;
  readonly toItem: (row: Row) => Item;
}

/** The users of one division. */
export const userList: List<UserListField, User, UserRow> = {
  fields: userListFields,
  columns: {
    id: 'u.id',
    username: 'u.username_key',
    email: 'u.email_key',
    firstName: 'u.first_name_key',
    lastName: 'u.last_name_key',
    division: 'u.division_id',
    groups: 'u.groups',
    birthdate: 'u.birthdate',
    isActive: 'u.is_active',
    isStaff: 'u.is_staff',
    isSuperuser: 'u.is_superuser',
    dateJoined: 'u.date_joined',
  },
  select: USER_COLUMNS,
  from: USER_TABLES,
  countFrom: 'user_account u',
  scope: 'u.division_id = ?',
  search: { column: 'u.search', fields: ['username', 'email', 'firstName', 'lastName'] },
  indexes: {
    ordered: ['dateJoined', 'username', 'email', 'lastName', 'birthdate'],
    unique: ['id', 'username', 'email'],
    whole: `${USER_COLUMNS.replace('d.name,', 'd.name as division_name,')},
      u.username_key, u.email_key, u.first_name_key, u.last_name_key, u.search`,
    selectOfWhole: USER_COLUMNS.replace('d.name,', 'u.division_name,').replace('d.name_version', 'u.name_version'),
  },
  toItem: toUser,
};

/** All divisions. */
export const divisionList: List<DivisionListField, Division, DivisionRow> = {
  fields: divisionListFields,
  columns: { id: 'd.id', name: 'd.name_key', logo: 'd.logo_key', fanpage: 'd.fanpage_key' },
  select: DIVISION_COLUMNS,
  from: 'division d',
  countFrom: 'division d',
  scope: 'true',
  toItem: toDivision,
};
