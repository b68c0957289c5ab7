import { foldCase, inGroupOrder, isVisibleText, normalizeText, type User } from '@chapter/domain';
import { aDivision, aUser, storeDivision, storeUser, type World } from '@chapter/domain/testing';
import * as fc from 'fast-check';
import type { PostgresWorld } from '../support/use-world.ts';

// Characters with difficult case, order or encoded length, and characters with a meaning in SQL and its patterns.
const PARTS = 'a A b ba Z ä Ä ß İ ı Σ ς Ǆ ﬁ 字 \uffee \u{1f600} \u{10ffff}'
  .split(' ')
  .concat(['%', '_', '\\', '\\\\', "'", '"', ' ', '$1', '?', '--', '{}', ',', '\u0301']);

/** Short texts, so that many are equal or contain each other. */
export const text = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 5 })
  .map((parts) => normalizeText(parts.join('')))
  .filter(isVisibleText);

/** Dates and instants that are close to each other. */
export const day = fc.constantFrom('1900-01-01', '1999-12-31', '2000-01-01', '2000-02-29');
export const moment = fc.constantFrom(
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-06-30T23:59:59.990Z',
);

const member = fc.record({
  username: fc.constantFrom('a', 'A.', 'b_', 'B+', 'z@', 'zebra'),
  email: fc.option(text),
  firstName: text,
  lastName: text,
  groups: fc.subarray(['Leader', 'Guest', 'User'] as const).map(inGroupOrder),
  birthdate: fc.option(day),
  isActive: fc.boolean(),
  isStaff: fc.boolean(),
  isSuperuser: fc.boolean(),
  dateJoined: moment,
});

let marks = 0;

/** A division of random users. A number after their usernames and emails makes these unique. */
export const divisions = (size: fc.ArrayConstraints): fc.Arbitrary<readonly User[]> =>
  fc.array(member, size).map((members) => {
    const division = aDivision();
    return members.map(({ username, email, ...same }) => {
      marks += 1;
      const names = { username: `${username}${marks}`, email: email === null ? null : `${email}@${marks}` };
      return { ...aUser().of(division), ...same, ...names, revision: '1.1' };
    });
  });

const INSERT = `insert into user_account (id, username, username_key, email, email_key, first_name, first_name_key, last_name,
    last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined)
  select id, username, username_key, email, email_key, first_name, first_name_key, last_name,
    last_name_key, division_id, groups, birthdate, is_active, is_staff, is_superuser, date_joined
  from json_populate_recordset(null::user_account, $1)`;

const rowOf = (user: User) => ({
  id: user.id,
  username: user.username,
  username_key: foldCase(user.username),
  email: user.email,
  email_key: user.email === null ? null : foldCase(user.email),
  first_name: user.firstName,
  first_name_key: foldCase(user.firstName),
  last_name: user.lastName,
  last_name_key: foldCase(user.lastName),
  division_id: user.division.id,
  groups: user.groups,
  birthdate: user.birthdate,
  is_active: user.isActive,
  is_staff: user.isStaff,
  is_superuser: user.isSuperuser,
  date_joined: user.dateJoined,
});

/** Stores users as the service does, in one statement. Their divisions must be new. */
export const storeAll = async (world: PostgresWorld, people: readonly User[]): Promise<void> => {
  const known = new Map(people.map(({ division }) => [division.id, division]));
  for (const division of known.values()) {
    await storeDivision(world, { ...division, logo: null, fanpage: null, revision: '' });
  }
  await world.sql.query(INSERT, [JSON.stringify(people.map(rowOf))]);
};

/** Stores the same users in memory. */
export const settleAll = async (world: World, people: readonly User[]): Promise<void> => {
  for (const user of people) await storeUser(world, user);
};
