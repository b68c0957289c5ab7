import { divisionDifferences, foldCase, type IdGenerator, userDifferences } from '@chapter/domain';
import type { BulkDivision, BulkRow, BulkUser } from './bulk-load.ts';
import type { Cell } from './copy-rows.ts';

/** The table in which the rows of a file wait. Its columns are those of the table they go to, all of them optional. */
export interface Staging<T> {
  readonly table: string;
  readonly create: string;
  readonly columns: readonly string[];
  readonly cellsOf: (row: BulkRow<T>) => readonly Cell[];
}

const fold = (text: string | null | undefined): Cell => (typeof text === 'string' ? foldCase(text) : null);
const flag = (value: boolean | undefined): Cell => (value === undefined ? null : String(value));

/** What a load writes of a row: each column, and how its cell is made of what the file has. */
type Cells<T> = Readonly<Record<string, (values: Partial<T>) => Cell>>;

const DIVISION: Cells<BulkDivision> = {
  id: ({ id = null }) => id,
  name: ({ name = null }) => name,
  name_key: ({ name }) => fold(name),
  logo: ({ logo = null }) => logo,
  logo_key: ({ logo }) => fold(logo),
  fanpage: ({ fanpage = null }) => fanpage,
  fanpage_key: ({ fanpage }) => fold(fanpage),
};

const USER: Cells<BulkUser> = {
  id: ({ id = null }) => id,
  username: ({ username = null }) => username,
  username_key: ({ username }) => fold(username),
  email: ({ email = null }) => email,
  email_key: ({ email }) => fold(email),
  first_name: ({ firstName = null }) => firstName,
  first_name_key: ({ firstName }) => fold(firstName),
  last_name: ({ lastName = null }) => lastName,
  last_name_key: ({ lastName }) => fold(lastName),
  division_id: ({ divisionId = null }) => divisionId,
  groups: ({ groups }) => (groups ? `{${groups.join(',')}}` : null),
  birthdate: ({ birthdate = null }) => birthdate,
  is_active: ({ isActive }) => flag(isActive),
  is_staff: ({ isStaff }) => flag(isStaff),
  is_superuser: ({ isSuperuser }) => flag(isSuperuser),
  date_joined: ({ dateJoined = null }) => dateJoined,
  password_hash: ({ passwordHash = null }) => passwordHash,
};

/** The columns of a division that a load writes. */
export const DIVISION_COLUMNS = Object.keys(DIVISION);
/** The columns of a user that a load writes. */
export const USER_COLUMNS = Object.keys(USER);

/** What both tables add to the columns of a row. What the audit trail will say is made here, for the domain says it. */
const OWN = ['line', 'complete', 'audit_id', 'changes'];

const createFrom = (table: string, target: string, columns: readonly string[]): string =>
  `create temporary table ${table} on commit drop as select ${columns.join(', ')} from ${target} with no data;
   alter table ${table} add column line int not null, add column complete boolean not null,
     add column audit_id uuid, add column changes json`;

const stagingOf = <T>(
  target: string,
  table: string,
  cells: Cells<T>,
  ids: IdGenerator,
  changesOf: (values: T) => unknown,
): Staging<T> => {
  const columns = Object.keys(cells);
  return {
    table,
    create: createFrom(table, target, columns),
    columns: [...OWN, ...columns],
    cellsOf: ({ complete, line, values }) => [
      String(line),
      String(complete),
      complete ? ids.next() : null,
      // What is complete has all values.
      complete ? JSON.stringify(changesOf(values as T)) : null,
      ...Object.values(cells).map((cellOf) => cellOf(values)),
    ],
  };
};

/** Where the rows of a divisions' file wait. */
export const divisionStaging = (ids: IdGenerator): Staging<BulkDivision> =>
  stagingOf('division', 'bulk_division', DIVISION, ids, (values) =>
    divisionDifferences(null, { ...values, revision: '' }),
  );

/** Where the rows of a users' file wait. */
export const userStaging = (ids: IdGenerator): Staging<BulkUser> =>
  stagingOf(
    'user_account',
    'bulk_user',
    USER,
    ids,
    ({ divisionId, passwordFollows, passwordHash, ...user }: BulkUser) => {
      const shown = { ...user, division: { id: divisionId, name: '' }, revision: '' };
      return userDifferences(null, shown, { passwordChanged: passwordFollows || passwordHash !== null });
    },
  );
