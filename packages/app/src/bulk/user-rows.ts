import type { BulkUser } from '@chapter/adapters-postgres';
import {
  type Clock,
  type CommonPasswords,
  checkFields,
  type FieldCheck,
  type FieldFault,
  fault,
  guessable,
  type IdGenerator,
  missing,
  NEW_USER_DEFAULTS,
  userChecks,
} from '@chapter/domain';
import { parametersOf } from '../passwords/scrypt-hash.ts';
import { type Cells, flagCell, idCell, instantCell, unguarded } from './cells.ts';
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

const TEXTS = { username: 'username', email: 'email', first_name: 'firstName', last_name: 'lastName' } as const;

/** The fields that the columns have other names for, or nothing of. */
const sentOf = ({ birthdate, division_id, groups, is_active, is_staff, is_superuser, ...cells }: Cells) => {
  const { date_joined, id, password, password_hash } = cells;
  const texts = Object.entries(TEXTS).map(([column, field]) => [field, cells[column]] as const);
  const sent = {
    ...Object.fromEntries(texts.map(([field, cell]) => [field, cell === undefined ? cell : unguarded(cell)])),
    birthdate: birthdate?.trim(),
    divisionId: division_id,
    groups: groups
      ?.split(';')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
    isActive: is_active,
    isStaff: is_staff,
    isSuperuser: is_superuser,
    dateJoined: date_joined,
    id,
    password,
    passwordHash: password_hash,
  };
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
};

const ownFaults = (sent: Readonly<Record<string, unknown>>): readonly FieldFault[] => {
  const both = 'password' in sent && 'passwordHash' in sent;
  return [
    ...missing(sent, ['username', 'divisionId']),
    ...(both
      ? [{ field: 'password', code: 'duplicate' as const, detail: 'is there beside password_hash; give one of them' }]
      : []),
  ];
};

/** The rules of a file of users. Contract, sections 4, 10 and 11. */
export const userRows = ({ clock, commonPasswords, ids, passwordMinLength }: UserRowPorts): RowRules<BulkUser> => {
  const now = clock.now();
  const { division: _, ...fields } = userChecks({ today: () => now.slice(0, 10), passwordMinLength });
  const checks = {
    ...fields,
    isActive: flagCell,
    isStaff: flagCell,
    isSuperuser: flagCell,
    id: idCell,
    divisionId: idCell,
    dateJoined: instantCell,
    passwordHash: hash,
  };
  return {
    columns: {
      required: ['username', 'division_id'],
      optional: [
        'id',
        'email',
        'first_name',
        'last_name',
        'groups',
        'birthdate',
        'is_active',
        'is_staff',
        'is_superuser',
        'date_joined',
        'password',
        'password_hash',
      ],
    },
    check: (cells) => {
      const sent = sentOf(cells);
      const { faults, values } = checkFields<{ readonly password: string } & BulkUser>(
        { ...checks, passwordFollows: flagCell },
        sent,
      );
      const { password, ...user } = values;
      const weak = password !== undefined && guessable(password, commonPasswords, [user.username, user.email]);
      const found = [...faults, ...ownFaults(sent), ...(weak ? [{ field: 'password', ...weak }] : [])];
      if (found.length > 0) return { faults: found, values: user };
      const given = { id: ids.next(), dateJoined: now, isStaff: false, isSuperuser: false, passwordHash: null };
      const passwordFollows = password !== undefined;
      const complete = { ...NEW_USER_DEFAULTS, ...given, ...user, passwordFollows };
      return { faults: [], values: complete, ...(passwordFollows ? { password } : {}) };
    },
  };
};
