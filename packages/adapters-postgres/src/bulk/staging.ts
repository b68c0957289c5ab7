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

/** The columns of a division that a load writes. */
export const DIVISION_COLUMNS = ['id', 'name', 'name_key', 'logo', 'logo_key', 'fanpage', 'fanpage_key'];
/** The columns of a user that a load writes. */
export const USER_COLUMNS = [
  'id', 'username', 'username_key', 'email', 'email_key', 'first_name', 'first_name_key', 'last_name', 'last_name_key',
  'division_id', 'groups', 'birthdate', 'is_active', 'is_staff', 'is_superuser', 'date_joined', 'password_hash',
]; // biome-ignore format: a list of columns

/** What both tables add to the columns of a row. What the audit trail will say is made here, for the domain says it. */
const OWN = ['line', 'complete', 'audit_id', 'changes'];

const createFrom = (table: string, target: string, columns: readonly string[]): string =>
  `create temporary table ${table} on commit drop as select ${columns.join(', ')} from ${target} with no data;
   alter table ${table} add column line int not null, add column complete boolean not null,
     add column audit_id uuid, add column changes json`;

/** Where the rows of a divisions' file wait. */
export const divisionStaging = (ids: IdGenerator): Staging<BulkDivision> => ({
  table: 'bulk_division',
  create: createFrom('bulk_division', 'division', DIVISION_COLUMNS),
  columns: [...OWN, ...DIVISION_COLUMNS],
  cellsOf: ({ complete, line, values }) => {
    const { fanpage = null, id = null, logo = null, name = null } = values;
    const changes = () => JSON.stringify(divisionDifferences(null, { ...(values as BulkDivision), revision: '' }));
    return [
      String(line), String(complete), complete ? ids.next() : null, complete ? changes() : null,
      id, name, fold(name), logo, fold(logo), fanpage, fold(fanpage),
    ]; // biome-ignore format: in the order of the columns
  },
});

const userChanges = ({ divisionId, passwordFollows, passwordHash, ...user }: BulkUser): string => {
  const shown = { ...user, division: { id: divisionId, name: '' }, revision: '' };
  return JSON.stringify(userDifferences(null, shown, { passwordChanged: passwordFollows || passwordHash !== null }));
};

/** Where the rows of a users' file wait. */
export const userStaging = (ids: IdGenerator): Staging<BulkUser> => ({
  table: 'bulk_user',
  create: createFrom('bulk_user', 'user_account', USER_COLUMNS),
  columns: [...OWN, ...USER_COLUMNS],
  cellsOf: ({ complete, line, values: user }) => [
    String(line), String(complete), complete ? ids.next() : null, complete ? userChanges(user as BulkUser) : null,
    user.id ?? null, user.username ?? null, fold(user.username), user.email ?? null, fold(user.email),
    user.firstName ?? null, fold(user.firstName), user.lastName ?? null, fold(user.lastName),
    user.divisionId ?? null, user.groups ? `{${user.groups.join(',')}}` : null, user.birthdate ?? null,
    flag(user.isActive), flag(user.isStaff), flag(user.isSuperuser), user.dateJoined ?? null, user.passwordHash ?? null,
  ], // biome-ignore format: in the order of the columns
});
