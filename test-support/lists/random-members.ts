import * as fc from 'fast-check';
import { inGroupOrder, isVisibleText, normalizeText, type User } from '../../packages/domain/src/ports/index.ts';
import { aDivision, aUser, storeUser, type World } from '../../packages/domain/src/testing/index.ts';

// Characters with difficult case, order or encoded length, and characters with a meaning in SQL and its patterns.
const PARTS = 'a A b ba Z ä Ä ß İ ı Σ ς Ǆ ﬁ 字 \uffee \u{1f600} \u{10ffff}'
  .split(' ')
  .concat(['%', '_', '\\', '\\\\', "'", '"', ' ', '$1', '?', '--', '{}', ',', '\u0301']);

/** Short texts, so that many are equal or contain each other. */
export const anyText = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 5 })
  .map((parts) => normalizeText(parts.join('')))
  .filter(isVisibleText);

/** Dates and instants that are close to each other. */
export const someDay = fc.constantFrom('1900-01-01', '1999-12-31', '2000-01-01', '2000-02-29');
export const moment = fc.constantFrom(
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-06-30T23:59:59.990Z',
);

const member = fc.record({
  username: fc.constantFrom('a', 'A.', 'b_', 'B+', 'z@', 'zebra'),
  email: fc.option(anyText),
  firstName: anyText,
  lastName: anyText,
  groups: fc.subarray(['Leader', 'Guest', 'User'] as const).map(inGroupOrder),
  birthdate: fc.option(someDay),
  isActive: fc.boolean(),
  isStaff: fc.boolean(),
  isSuperuser: fc.boolean(),
  dateJoined: moment,
});

let marks = 0;

/** A division of random users. A number after their usernames and emails makes these unique. */
export const membersOfOne = (size: fc.ArrayConstraints): fc.Arbitrary<readonly User[]> =>
  fc.array(member, size).map((members) => {
    const division = aDivision();
    return members.map(({ username, email, ...same }) => {
      marks += 1;
      const names = { username: `${username}${marks}`, email: email === null ? null : `${email}@${marks}` };
      return { ...aUser().of(division), ...same, ...names, revision: '1.1' };
    });
  });

/** Stores users and their divisions one by one. */
export const settleAll = async (world: World, people: readonly User[]): Promise<void> => {
  for (const user of people) await storeUser(world, user);
};
