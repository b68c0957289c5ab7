import {
  completeOrder,
  type Filter,
  foldCase,
  GROUPS,
  inGroupOrder,
  isVisibleText,
  type ListQuery,
  type ListValue,
  normalizeText,
  operatorsOf,
  type User,
  type UserListField,
  userListFields,
} from '@chapter/domain';
import * as fc from 'fast-check';

/** A user without id, division and revision, which the world assigns. */
export type Member = Omit<User, 'id' | 'division' | 'revision'>;

// Letters with unusual case, order or encoded length, and characters with a meaning in SQL.
const letters = 'a A b Z z ä Ä é ß ẞ İ ı Σ ς Ǆ ﬁ 字 \uff5e \u{1f600}'
  .split(' ')
  .concat(['%', '_', '\\', "'", '"', ' ', '$1', '?', '--', ':a', '\u0301']);

const text = fc
  .array(fc.constantFrom(...letters), { maxLength: 4 })
  .map((parts) => normalizeText(parts.join('')))
  .filter(isVisibleText);
const day = fc.constantFrom('1900-01-01', '1999-12-31', '2000-01-01', '2000-02-29');
const moment = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-02-01T00:00:00.000Z');
const groups = fc.subarray([...GROUPS]).map(inGroupOrder);

const member: fc.Arbitrary<Member> = fc.record({
  username: fc.constantFrom('a', 'A', 'a.', 'b_', 'B+', 'z@'),
  email: fc.option(text),
  firstName: text,
  lastName: text,
  groups,
  birthdate: fc.option(day),
  isActive: fc.boolean(),
  isStaff: fc.boolean(),
  isSuperuser: fc.boolean(),
  dateJoined: moment,
});

/** Members of one division, many with equal values. A number makes usernames and emails unique. */
export const populations: fc.Arbitrary<readonly Member[]> = fc.array(member, { maxLength: 14 }).map((members) =>
  members.map(({ username, email, ...same }, at) => ({
    username: `${username}-${at}`,
    email: email === null ? null : `${email}@${at}`,
    ...same,
  })),
);

const fields = Object.keys(userListFields) as UserListField[];
const filterable = fields.filter((field) => field !== 'id' && field !== 'division');

const valueOf = (field: UserListField): fc.Arbitrary<ListValue> => {
  const { kind } = userListFields[field];
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'groups') return fc.constantFrom(...GROUPS);
  if (kind === 'date') return day;
  if (kind === 'instant') return moment;
  return text.map((value) => foldCase(value));
};

const filter: fc.Arbitrary<Filter<UserListField>> = fc
  .constantFrom(...filterable)
  .chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(...operatorsOf(userListFields[field]))))
  .chain(([field, operator]) => {
    const value: fc.Arbitrary<ListValue | readonly ListValue[]> =
      operator === 'isnull'
        ? fc.boolean()
        : operator === 'in'
          ? fc.array(valueOf(field), { minLength: 1, maxLength: 3 })
          : valueOf(field);
    // The value was generated for this operator.
    return value.map((drawn) => ({ field, operator, value: drawn }) as Filter<UserListField>);
  });

const order = fc
  .uniqueArray(fc.record({ field: fc.constantFrom(...fields), descending: fc.boolean() }), {
    maxLength: 3,
    selector: (step) => step.field,
  })
  .map((steps) => completeOrder(steps));

/** Queries for the first page of a user list, with arbitrary values of all parameters. */
export const queries: fc.Arbitrary<ListQuery<UserListField>> = fc.record({
  filters: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(filter, { maxLength: 2 })),
  words: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(text.map(foldCase), { maxLength: 2 })),
  searched: fc.constant(['username', 'firstName', 'lastName', 'email'] as const),
  order,
  size: fc.integer({ min: 1, max: 5 }),
  position: fc.constant(null),
  counted: fc.boolean(),
});
