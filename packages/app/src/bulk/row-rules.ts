import type { BulkDivision, BulkUser } from '@chapter/adapters-postgres';
import { checkFields, type FieldCheck, fault, guessableFault, nullable, type SentFields } from '@chapter/domain/api';
import {
  type Clock,
  type CommonPasswords,
  divisionChecks,
  divisionFields,
  type FieldFault,
  fieldsWith,
  NEW_DIVISION_DEFAULTS,
  NEW_USER_DEFAULTS,
  removeFormulaGuard,
  userChecks,
  userFields,
} from '@chapter/domain/ports';
import { scryptParametersOf } from '../passwords/scrypt-hash.ts';
import {
  checkEach,
  columnsKeepingEmpty,
  columnsOf,
  divisionIdCell,
  flagCell,
  idCell,
  instantCell,
  makeReadCells,
} from './cells.ts';
import type { Cells, FileColumns } from './read-rows.ts';

/** The result of checking a row: its valid values and all its faults. */
export interface CheckedRow<T> {
  readonly values: Partial<T>;
  readonly faults: readonly FieldFault[];
  /** The normalized password to hash; only present if the row has no faults. */
  readonly password?: string;
}

/** The columns of a file and the check of its rows. */
export interface RowRules<T> extends FileColumns {
  readonly check: (cells: Cells) => CheckedRow<T>;
}

/** Returns the columns of a file: those that it must have, those of which it must have one, and all others. */
const columnsOfFile = (
  all: readonly string[],
  { anyOf = [], required = [] }: Partial<Omit<FileColumns['columns'], 'optional'>>,
): FileColumns['columns'] => {
  const optional = all.filter((column) => !required.includes(column) && !anyOf.includes(column));
  return { required, anyOf, optional };
};

/** Returns the field that must identify a stored row: the id, unless the row has a name. */
const keyOf = (name: string, fields: SentFields): readonly string[] => (name in fields ? [] : ['id']);

/** Adds the values of a new record to those of a row without faults. A row that matches a stored record ignores them. */
const withDefaults = <T>(checked: CheckedRow<T>, defaults: Partial<T>): CheckedRow<T> =>
  checked.faults.length > 0 ? checked : { ...checked, values: { ...defaults, ...checked.values } };

const readDivision = makeReadCells(divisionFields);

/** Returns the columns and the row check of a divisions file; with `update`, rows may be stored already. Contract §10. */
export const divisionRows = (update: boolean): RowRules<BulkDivision> => ({
  columns: columnsOfFile(columnsOf(divisionFields), update ? { anyOf: ['id', 'name'] } : { required: ['name'] }),
  keepsEmpty: new Set(update ? columnsKeepingEmpty(divisionFields) : []),
  check: (cells) => {
    const fields = readDivision(cells);
    const required = update ? keyOf('name', fields) : ['name'];
    const checked = checkFields<BulkDivision>({ ...divisionChecks, id: idCell }, { fields }, { required });
    return withDefaults(checked, NEW_DIVISION_DEFAULTS);
  },
});

/** The ports that the check of a users file needs. */
export interface UserRowPorts {
  readonly clock: Clock;
  readonly commonPasswords: CommonPasswords;
  readonly passwordMinLength: number;
}

const hashCell: FieldCheck<string> = (input) =>
  scryptParametersOf(String(input).trim())
    ? { value: String(input).trim() }
    : fault('invalid_format', 'must be a scrypt-kdf hash in base64 (128 characters)');

const readUserFields = makeReadCells(userFields);

/** Removes an empty cell of the division's id or name if the row has the other one. If both are empty, the name stays. */
const withoutEmptyDivision = (cells: Cells): Cells => {
  const { division, division_id: divisionId = '', ...others } = cells;
  if (division === undefined) return cells;
  if (divisionId.trim() === '') return { ...others, division };
  return division.trim() === '' ? { ...others, division_id: divisionId } : cells;
};

const readUser = (cells: Cells): SentFields => {
  const given = withoutEmptyDivision(cells);
  const { division, password, password_hash: passwordHash } = given;
  return {
    ...readUserFields(given),
    ...(division === undefined ? {} : { division: removeFormulaGuard(division) }),
    ...(password === undefined ? {} : { password }),
    ...(passwordHash === undefined ? {} : { passwordHash: passwordHash.trim() === '' ? null : passwordHash }),
  };
};

const BOTH_PASSWORDS: FieldFault = {
  field: 'password',
  code: 'duplicate',
  detail: 'cannot be combined with password_hash; remove one of them',
};

/** Makes the check of a row whose fields have been read. */
const makeCheckUser = ({ clock, commonPasswords, passwordMinLength }: UserRowPorts) => {
  const now = clock.now();
  const { division: _, ...fieldChecks } = userChecks({ today: () => now.slice(0, 10), passwordMinLength });
  const checks = {
    ...fieldChecks,
    ...checkEach(fieldsWith(userFields, 'kind', 'boolean'), flagCell),
    ...checkEach(fieldsWith(userFields, 'kind', 'uuid'), idCell),
    ...checkEach(fieldsWith(userFields, 'kind', 'instant'), instantCell),
    divisionId: divisionIdCell,
    division: divisionChecks.name,
    passwordHash: nullable(hashCell),
    passwordFollows: flagCell,
  };
  return (fields: SentFields, required: readonly string[]): CheckedRow<BulkUser> => {
    const { faults, values } = checkFields<{ readonly password: string } & BulkUser>(checks, { fields }, { required });
    const { password, ...user } = values;
    const weak = password !== undefined && guessableFault(password, commonPasswords, [user.username, user.email]);
    const hasBoth = 'password' in fields && (fields['passwordHash'] ?? null) !== null;
    const found = [...faults, ...(hasBoth ? [BOTH_PASSWORDS] : []), ...(weak ? [{ field: 'password', ...weak }] : [])];
    if (found.length > 0) return { faults: found, values: user };
    const passwordFollows = password !== undefined;
    return { faults: [], values: { ...user, passwordFollows }, ...(passwordFollows ? { password } : {}) };
  };
};

const USER_FILE_COLUMNS = [...columnsOf(userFields), 'division', 'password', 'password_hash'];

/** Returns the columns and the row check of a users file; with `update`, rows may be stored already. Contract §4, §10 and §11. */
export const userRows = (ports: UserRowPorts, update: boolean): RowRules<BulkUser> => {
  const checkUser = makeCheckUser(ports);
  const defaults = { ...NEW_USER_DEFAULTS, dateJoined: ports.clock.now() };
  const named = update ? { anyOf: ['id', 'username'] } : { required: ['username'], anyOf: ['division_id', 'division'] };
  return {
    columns: columnsOfFile(USER_FILE_COLUMNS, named),
    keepsEmpty: new Set(['division', ...(update ? [...columnsKeepingEmpty(userFields), 'password_hash'] : ['groups'])]),
    check: (cells) => {
      const fields = readUser(cells);
      const division = 'division' in fields ? [] : ['divisionId'];
      const required = update ? keyOf('username', fields) : ['username', ...division];
      return withDefaults(checkUser(fields, required), defaults);
    },
  };
};
