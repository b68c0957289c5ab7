import {
  type Division,
  type DivisionId,
  type DivisionListField,
  divisionListFields,
  type ListedUser,
  type ListField,
  type User,
  type UserListField,
  userListFields,
} from '@chapter/domain';
import {
  DIVISION_COLUMNS,
  type DivisionRow,
  LISTED_USER_COLUMNS,
  type ListedUserRow,
  toDivision,
  toListedUser,
} from '../schema/rows.ts';

/** What a list's conditions and orders are made of. */
export interface Columns<Field extends string> {
  readonly fields: Readonly<Record<Field, ListField>>;
  /** The column that each visible field is compared by. */
  readonly columns: Readonly<Record<Field, string>>;
  /** The columns of the index that has the order which begins with a field, within the scope. */
  readonly ordered: Readonly<Partial<Record<Field, readonly string[]>>>;
  /**
   * An index that has all that is read of a row, in the order which begins with a field. It is taken where a statement has its
   * condition, which every row meets.
   */
  readonly listed?: { readonly order: Field; readonly columns: readonly string[]; readonly condition: string };
  /** Fields of which no two rows have the same value, each with an index of its own. */
  readonly unique: readonly Field[];
  /** Fields that are the same in all rows of the scope. */
  readonly scoped: readonly Field[];
  /** A column that holds all of these fields, with an index of trigrams, and the scope as that index has it. */
  readonly search?: { readonly column: string; readonly fields: readonly Field[]; readonly scope: string };
  /** What the index of tokens is made of; see the functions of the database, `search_grams` and `member_tokens`. */
  readonly tokens?: {
    readonly expression: string;
    /** Whether the values of the scope are among the tokens. */
    readonly ofScope: boolean;
    /** The tokens of fields with few values. */
    readonly ofValue: Readonly<Partial<Record<Field, (value: string) => string>>>;
  };
}

/** A list in SQL. */
export interface List<
  Field extends string,
  Item,
  Row extends readonly unknown[],
  Head extends readonly unknown[] = readonly [],
> extends Columns<Field> {
  readonly name: string;
  /** What is read of a row. */
  readonly select: readonly string[];
  /** The table, by the name that the columns go by. */
  readonly table: string;
  readonly alias: string;
  /** What is the same for all rows and read once, of one row of another table; see `scope`. */
  readonly head?: { readonly select: readonly string[]; readonly table: string; readonly scope: string };
  /** The condition that limits the list, with a `?` for each value that the repository gives. */
  readonly scope: string;
  /** Makes items of what was read of each row, of all rows, and of the values of the scope. */
  readonly makeToItem: (head: Head, scope: readonly unknown[]) => (row: Row) => Item;
}

const tokenOfFlag = (column: string) => (value: string) => `${value === 'true' ? '' : 'not '}${column}`;

const ofUsers = {
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
  ordered: {
    id: ['u.division_id', 'u.id'],
    username: ['u.division_id', 'u.username_key', 'u.id'],
    email: ['u.division_id', 'u.email_key', 'u.id'],
    firstName: ['u.division_id', 'u.first_name_key', 'u.id'],
    lastName: ['u.division_id', 'u.last_name_key', 'u.id'],
    birthdate: ['u.division_id', 'u.birthdate', 'u.id'],
    dateJoined: ['u.division_id', 'u.date_joined', 'u.id', 'u.search'],
  },
  unique: ['id', 'username', 'email'],
  scoped: ['division'],
  search: {
    column: 'u.search',
    fields: ['username', 'email', 'firstName', 'lastName'],
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
  select: LISTED_USER_COLUMNS,
  listed: { order: 'dateJoined', columns: ['u.division_id', ...LISTED_USER_COLUMNS], condition: "u.username >= ''" },
  head: { select: ['d.name'], table: 'division d', scope: 'd.id = ?' },
  makeToItem: ([name], [id]) => {
    const division = { id: id as DivisionId, name };
    return (row) => toListedUser(row, division);
  },
};

/** A user as a list of references shows them. */
type Reference = Pick<User, 'id' | 'username'>;

/** The same users, of whom no more is read than is shown. */
export const userReferenceList: List<UserListField, Reference, readonly [id: string, username: string]> = {
  ...ofUsers,
  name: 'user references',
  select: ['u.id', 'u.username'],
  makeToItem:
    () =>
    ([id, username]) => ({ id, username }),
};

/** All divisions. */
export const divisionList: List<DivisionListField, Division, DivisionRow> = {
  name: 'divisions',
  fields: divisionListFields,
  columns: { id: 'd.id', name: 'd.name_key', logo: 'd.logo_key', fanpage: 'd.fanpage_key' },
  ordered: { id: ['d.id'], name: ['d.name_key'] },
  unique: ['id', 'name'],
  scoped: [],
  search: { column: 'd.name_key', fields: ['name'], scope: 'true' },
  tokens: { expression: 'search_grams(d.name_key)', ofScope: false, ofValue: {} },
  select: DIVISION_COLUMNS,
  table: 'division',
  alias: 'd',
  scope: 'true',
  makeToItem: () => toDivision,
};
