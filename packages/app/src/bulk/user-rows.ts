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
  userChecks,
  userFields,
} from '@chapter/domain';
import { parametersOf } from '../passwords/scrypt-hash.ts';
import { type Cells, flagCell, idCell, instantCell } from './cells.ts';
import { checkEach, columnsOf, makeReadFields } from './field-cells.ts';
import type { RowRules } from './row-rules.ts';

/** What the rows of a users' file need. */
export interface UserRowPorts {
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly commonPasswords: CommonPasswords;
  readonly passwordMinLength: number;
}

const hash: FieldCheck<string> = (input) =>
  parametersOf(String(input).trim())
    ? { value: String(input).trim() }
    : fault('invalid_format', 'must be a scrypt-kdf hash in base64 (128 characters)');

const readFields = makeReadFields(userFields);

const readRow = (cells: Cells): Readonly<Record<string, unknown>> => {
  const { password, password_hash: passwordHash } = cells;
  return {
    ...readFields(cells),
    ...(password === undefined ? {} : { password }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
};

const REQUIRED = ['username', 'division_id'];

const ownFaults = (sent: Readonly<Record<string, unknown>>): readonly FieldFault[] => {
  const both = 'password' in sent && 'passwordHash' in sent;
  return [
    ...missingFaults(sent, ['username', 'divisionId']),
    ...(both
      ? [{ field: 'password', code: 'duplicate' as const, detail: 'is there beside password_hash; give one of them' }]
      : []),
  ];
};

/** The rules of a file of users. Contract §4, §10 and §11. */
export const userRows = ({ clock, commonPasswords, ids, passwordMinLength }: UserRowPorts): RowRules<BulkUser> => {
  const now = clock.now();
  const { division: _, ...fields } = userChecks({ today: () => now.slice(0, 10), passwordMinLength });
  const checks = {
    ...fields,
    ...checkEach(fieldsWith(userFields, 'kind', 'boolean'), flagCell),
    ...checkEach(fieldsWith(userFields, 'kind', 'uuid'), idCell),
    ...checkEach(fieldsWith(userFields, 'kind', 'instant'), instantCell),
    divisionId: idCell,
    passwordHash: hash,
  };
  return {
    columns: {
      required: REQUIRED,
      optional: [...columnsOf(userFields).filter((column) => !REQUIRED.includes(column)), 'password', 'password_hash'],
    },
    check: (cells) => {
      const sent = readRow(cells);
      const { faults, values } = checkFields<{ readonly password: string } & BulkUser>(
        { ...checks, passwordFollows: flagCell },
        sent,
      );
      const { password, ...user } = values;
      const weak = password !== undefined && guessableFault(password, commonPasswords, [user.username, user.email]);
      const found = [...faults, ...ownFaults(sent), ...(weak ? [{ field: 'password', ...weak }] : [])];
      if (found.length > 0) return { faults: found, values: user };
      const given = { id: ids.next(), dateJoined: now, passwordHash: null };
      const passwordFollows = password !== undefined;
      const complete = { ...NEW_USER_DEFAULTS, ...given, ...user, passwordFollows };
      return { faults: [], values: complete, ...(passwordFollows ? { password } : {}) };
    },
  };
};
