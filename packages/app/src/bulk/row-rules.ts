import type { BulkDivision, BulkUser } from '@chapter/adapters-postgres';
import {
  type Clock,
  type CommonPasswords,
  checkFields,
  divisionChecks,
  divisionFields,
  type FieldCheck,
  type FieldColumns,
  type FieldFault,
  type FieldKind,
  fault,
  fieldsWith,
  fileColumn,
  guessableFaults,
  NEW_DIVISION_DEFAULTS,
  NEW_USER_DEFAULTS,
  newRecordKey,
  nullable,
  removeFormulaGuard,
  type SentFields,
  userChecks,
  userFields,
  uuid,
} from '@chapter/domain/api';
import { scryptParametersOf } from '../passwords/scrypt-hash.ts';
import { parseDateOrInstant } from '../text/text.ts';
import type { Cells, FileColumns } from './read-rows.ts';

const trimmed =
  <T>(check: (text: string) => ReturnType<FieldCheck<T>>): FieldCheck<T> =>
  (input) =>
    check(String(input).trim());

/** Accepts `true` or `false` in any case, because spreadsheets write them in capitals. */
const flagCell: FieldCheck<boolean> = trimmed((text) => {
  const lower = text.toLowerCase();
  return lower === 'true' || lower === 'false'
    ? { value: lower === 'true' }
    : fault('invalid_format', 'must be true or false');
});

/** Accepts a UUID of any version, because another system may have generated it. */
const idCell: FieldCheck<string> = trimmed(uuid);

const divisionIdCell: FieldCheck<string> = (input) =>
  String(input).trim() === '' ? fault('too_short', 'must not be empty') : idCell(input);

const EARLIEST_INSTANT = '1900-01-01T00:00:00.000Z';

/** Accepts an ISO 8601 date or time from 1900 on and returns it as an instant in UTC. */
const instantCell: FieldCheck<string> = trimmed((text) => {
  const value = parseDateOrInstant(text);
  if (value === undefined) {
    return fault('invalid_format', 'must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00.000Z');
  }
  return value >= EARLIEST_INSTANT ? { value } : fault('out_of_range', 'must not be before 1900');
});

type Fields = Readonly<Record<string, Pick<FieldColumns, 'kind' | 'nullable'>>>;

const unchanged = (cell: string): string => cell;

/** How to read a cell, by the kind of its field. The faults of a line are in this order, as in release 0.1.0. */
const READERS: Readonly<Record<FieldKind, (cell: string) => unknown>> = {
  text: removeFormulaGuard,
  date: (cell) => cell.trim(),
  division: unchanged,
  groups: (cell) =>
    cell
      .split(';')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  boolean: unchanged,
  instant: unchanged,
  uuid: unchanged,
};

const KIND_ORDER = Object.keys(READERS);

/** Lists the columns in which an empty cell is a value (null, empty text, no groups) or a fault of a required field. */
export const columnsKeepingEmpty = (fields: Fields): readonly string[] =>
  Object.entries(fields)
    .filter(([, { kind, nullable }]) => nullable || kind === 'text' || kind === 'groups' || kind === 'division')
    .map(([field, definition]) => fileColumn(field, definition));

/** Lists the file columns of these fields. */
export const columnsOf = (fields: Fields): readonly string[] =>
  Object.entries(fields).map(([field, definition]) => fileColumn(field, definition));

/** Makes a function that reads the fields of a row from its cells. An empty cell of a nullable field is null. */
export const makeReadCells = (fields: Fields): ((cells: Cells) => Readonly<Record<string, unknown>>) => {
  const readers = Object.entries(fields)
    .toSorted(([, one], [, other]) => KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind))
    .map(([field, definition]) => {
      const name = newRecordKey(field, definition);
      return [name, fileColumn(field, definition), READERS[definition.kind], definition.nullable] as const;
    });
  return (cells) => {
    const values: Record<string, unknown> = {};
    for (const [name, column, read, isNullable] of readers) {
      const cell = cells[column];
      if (cell !== undefined) values[name] = isNullable && cell.trim() === '' ? null : read(cell);
    }
    return values;
  };
};

const checkEach = <Field extends string, T>(fields: readonly Field[], check: FieldCheck<T>) =>
  Object.fromEntries(fields.map((field) => [field, check])) as Readonly<Record<Field, FieldCheck<T>>>;

/** The result of checking a row: its valid values and all its faults. */
export interface CheckedRow<T> {
  readonly values: Partial<T>;
  readonly faults: readonly FieldFault[];
  /** Whether the row has a password to hash. A row with faults has none. */
  readonly hasPassword?: boolean;
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

/** Adds the values of a new record to those of a row without faults. A row of a stored record ignores them. */
const withDefaults = <T>(checked: CheckedRow<T>, defaults: Partial<T>): CheckedRow<T> =>
  checked.faults.length > 0 ? checked : { ...checked, values: { ...defaults, ...checked.values } };

const readDivision = makeReadCells(divisionFields);

/** Returns the columns and the row check of a divisions file; with `update`, rows may be stored. Contract §10. */
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

/** Removes an empty cell of the division's id or name if the row has the other one, and the id if both are empty. */
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

const withSeparator = (one: FieldFault): FieldFault =>
  one.field === 'groups' && one.code === 'invalid_format'
    ? { ...one, detail: `${one.detail}, separated by semicolons` }
    : one;

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
    const passwordFollows = password !== undefined;
    const weak = passwordFollows ? guessableFaults(password, commonPasswords, [user.username, user.email]) : [];
    const hasBoth = 'password' in fields && (fields['passwordHash'] ?? null) !== null;
    const found = [...faults.map(withSeparator), ...(hasBoth ? [BOTH_PASSWORDS] : []), ...weak];
    if (found.length > 0) return { faults: found, values: user };
    return { faults: [], values: { ...user, passwordFollows }, hasPassword: passwordFollows };
  };
};

const USER_FILE_COLUMNS = [...columnsOf(userFields), 'division', 'password', 'password_hash'];

/** Returns the columns and the row check of a users file; with `update`, rows may be stored. Contract §4, §10, §11. */
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
