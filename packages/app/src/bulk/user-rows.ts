import type { BulkUser } from '@chapter/adapters-postgres';
import {
  type Clock,
  type CommonPasswords,
  checkFields,
  type FieldCheck,
  type FieldFault,
  fault,
  fieldsWith,
  guessableFault,
  type IdGenerator,
  missingFaults,
  NEW_USER_DEFAULTS,
  nullable,
  userChecks,
  userFields,
} from '@chapter/domain';
import { scryptParametersOf } from '../passwords/scrypt-hash.ts';
import { type Cells, divisionIdCell, flagCell, idCell, instantCell } from './cells.ts';
import { checkEach, columnsKeepingEmpty, columnsOf, makeReadFields } from './field-cells.ts';
import type { CheckedRow, RowRules } from './row-rules.ts';

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

const readFields = makeReadFields(userFields);

const readRow = (cells: Cells): Readonly<Record<string, unknown>> => {
  const { password, password_hash: passwordHash } = cells;
  return {
    ...readFields(cells),
    ...(password === undefined ? {} : { password }),
    ...(passwordHash === undefined ? {} : { passwordHash: passwordHash.trim() === '' ? null : passwordHash }),
  };
};

const BOTH_PASSWORDS: FieldFault = {
  field: 'password',
  code: 'duplicate',
  detail: 'cannot be combined with password_hash; remove one of them',
};

type Sent = Readonly<Record<string, unknown>>;

/** Makes the check of a row whose fields have been read; `required` returns the fields that it must have. */
const makeCheckSent = (
  { clock, commonPasswords, passwordMinLength }: UserRowPorts,
  required: (sent: Sent) => readonly string[],
) => {
  const now = clock.now();
  const { division: _, ...fields } = userChecks({ today: () => now.slice(0, 10), passwordMinLength });
  const checks = {
    ...fields,
    ...checkEach(fieldsWith(userFields, 'kind', 'boolean'), flagCell),
    ...checkEach(fieldsWith(userFields, 'kind', 'uuid'), idCell),
    ...checkEach(fieldsWith(userFields, 'kind', 'instant'), instantCell),
    divisionId: divisionIdCell,
    passwordHash: nullable(hashCell),
    passwordFollows: flagCell,
  };
  return (sent: Sent): CheckedRow<BulkUser> => {
    const { faults, values } = checkFields<{ readonly password: string } & BulkUser>(checks, sent);
    const { password, ...user } = values;
    const weak = password !== undefined && guessableFault(password, commonPasswords, [user.username, user.email]);
    const hasBoth = 'password' in sent && (sent['passwordHash'] ?? null) !== null;
    const found = [
      ...faults,
      ...missingFaults(sent, required(sent)),
      ...(hasBoth ? [BOTH_PASSWORDS] : []),
      ...(weak ? [{ field: 'password', ...weak }] : []),
    ];
    if (found.length > 0) return { faults: found, values: user };
    const passwordFollows = password !== undefined;
    return { faults: [], values: { ...user, passwordFollows }, ...(passwordFollows ? { password } : {}) };
  };
};

const REQUIRED_USER_COLUMNS = ['username', 'division_id'];

const USER_FILE_COLUMNS = [...columnsOf(userFields), 'password', 'password_hash'];

/** Returns the columns and the row check of a users file whose rows are new. Contract §4, §10 and §11. */
export const newUserRows = (ports: UserRowPorts): RowRules<BulkUser> => {
  const checkSent = makeCheckSent(ports, () => ['username', 'divisionId']);
  const dateJoined = ports.clock.now();
  return {
    columns: {
      required: REQUIRED_USER_COLUMNS,
      optional: USER_FILE_COLUMNS.filter((column) => !REQUIRED_USER_COLUMNS.includes(column)),
    },
    keepsEmpty: new Set(['groups']),
    check: (cells) => {
      const checked = checkSent(readRow(cells));
      if (checked.faults.length > 0) return checked;
      const assigned = { id: ports.ids.next(), dateJoined, passwordHash: null };
      return { ...checked, values: { ...NEW_USER_DEFAULTS, ...assigned, ...checked.values } };
    },
  };
};

const USER_KEYS = ['id', 'username'];

/** Returns the columns and the row check of a users file whose rows may be stored already. Contract §4, §10 and §11. */
export const userUpdateRows = (ports: UserRowPorts): RowRules<BulkUser> => {
  const checkSent = makeCheckSent(ports, (sent) => ('username' in sent ? [] : ['id']));
  return {
    columns: {
      required: [],
      anyOf: USER_KEYS,
      optional: USER_FILE_COLUMNS.filter((column) => !USER_KEYS.includes(column)),
    },
    keepsEmpty: new Set([...columnsKeepingEmpty(userFields), 'password_hash']),
    check: (cells) => checkSent(readRow(cells)),
  };
};
