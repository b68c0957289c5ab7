import type { BulkDivision, BulkUser } from '@chapter/adapters-postgres';
import {
  type Clock,
  type CommonPasswords,
  checkFields,
  divisionChecks,
  divisionFields,
  type FieldCheck,
  type FieldFault,
  fault,
  fieldsWith,
  guessableFault,
  type IdGenerator,
  NEW_DIVISION_DEFAULTS,
  NEW_USER_DEFAULTS,
  nullable,
  type SentFields,
  userChecks,
  userFields,
} from '@chapter/domain';
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

/** Returns the columns of a file that must have the required ones. */
const columnsWith = (all: readonly string[], required: readonly string[]): FileColumns['columns'] => ({
  required,
  optional: all.filter((column) => !required.includes(column)),
});

/** Returns the columns of a file that must have one of the keys, by which a row matches a stored one. */
const columnsWithKey = (all: readonly string[], keys: readonly string[]): FileColumns['columns'] => ({
  required: [],
  anyOf: keys,
  optional: all.filter((column) => !keys.includes(column)),
});

const readDivision = makeReadCells(divisionFields);

const DIVISION_FILE_COLUMNS = columnsOf(divisionFields);

const checkDivision = (fields: SentFields, required: readonly string[]): CheckedRow<BulkDivision> =>
  checkFields<BulkDivision>({ ...divisionChecks, id: idCell }, { fields }, { required });

/** Returns the columns and the row check of a divisions file; with `update`, rows may be stored already. Contract §10. */
export const divisionRows = ({ ids }: { readonly ids: IdGenerator }, update: boolean): RowRules<BulkDivision> =>
  update
    ? {
        columns: columnsWithKey(DIVISION_FILE_COLUMNS, ['id', 'name']),
        keepsEmpty: new Set(columnsKeepingEmpty(divisionFields)),
        check: (cells) => {
          const sent = readDivision(cells);
          return checkDivision(sent, 'name' in sent ? [] : ['id']);
        },
      }
    : {
        columns: columnsWith(DIVISION_FILE_COLUMNS, ['name']),
        keepsEmpty: new Set(),
        check: (cells) => {
          const checked = checkDivision(readDivision(cells), ['name']);
          if (checked.faults.length > 0) return checked;
          return { ...checked, values: { id: ids.next(), ...NEW_DIVISION_DEFAULTS, ...checked.values } };
        },
      };

/** The ports that the check of a users file needs. */
export interface UserRowPorts {
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly commonPasswords: CommonPasswords;
  readonly passwordMinLength: number;
}

const hashCell: FieldCheck<string> = (input) =>
  scryptParametersOf(String(input).trim())
    ? { value: String(input).trim() }
    : fault('invalid_format', 'must be a scrypt-kdf hash in base64 (128 characters)');

const readUserFields = makeReadCells(userFields);

const readUser = (cells: Cells): SentFields => {
  const { password, password_hash: passwordHash } = cells;
  return {
    ...readUserFields(cells),
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

const USER_FILE_COLUMNS = [...columnsOf(userFields), 'password', 'password_hash'];

/** Returns the columns and the row check of a users file; with `update`, rows may be stored already. Contract §4, §10 and §11. */
export const userRows = (ports: UserRowPorts, update: boolean): RowRules<BulkUser> => {
  const checkUser = makeCheckUser(ports);
  if (update) {
    return {
      columns: columnsWithKey(USER_FILE_COLUMNS, ['id', 'username']),
      keepsEmpty: new Set([...columnsKeepingEmpty(userFields), 'password_hash']),
      check: (cells) => {
        const sent = readUser(cells);
        return checkUser(sent, 'username' in sent ? [] : ['id']);
      },
    };
  }
  const dateJoined = ports.clock.now();
  return {
    columns: columnsWith(USER_FILE_COLUMNS, ['username', 'division_id']),
    keepsEmpty: new Set(['groups']),
    check: (cells) => {
      const checked = checkUser(readUser(cells), ['username', 'divisionId']);
      if (checked.faults.length > 0) return checked;
      const assigned = { id: ports.ids.next(), dateJoined, passwordHash: null };
      return { ...checked, values: { ...NEW_USER_DEFAULTS, ...assigned, ...checked.values } };
    },
  };
};
