import {
  completeOrder,
  type Filter,
  foldCase,
  GROUPS,
  type ListQuery,
  type ListValue,
  listValueOf,
  operatorsOf,
  type Position,
  type User,
  type UserListField,
  userListFields,
} from '@chapter/domain';
import * as fc from 'fast-check';
import { day, moment, text } from './random-members.ts';

const FIELDS = Object.keys(userListFields) as UserListField[];
const SEARCHED: readonly UserListField[] = ['username', 'firstName', 'lastName', 'email'];

const byKind = {
  text: text.map(foldCase),
  boolean: fc.boolean(),
  groups: fc.constantFrom(...GROUPS),
  date: day,
  instant: moment,
  uuid: fc.uuid({ version: 7 }),
  division: fc.uuid({ version: 7 }),
};

/** A value to compare a field with: usually a stored value, or a part of it for texts. */
const valueFor = (people: readonly User[], field: UserListField): fc.Arbitrary<ListValue> => {
  const shown = userListFields[field];
  const any = byKind[shown.kind];
  const stored = people.map((user) => listValueOf(shown, user[field])).filter((value) => value !== null);
  if (shown.kind === 'groups' || stored.length === 0) return any;
  const [present, bound] = [fc.constantFrom(...stored), fc.nat({ max: 8 })];
  if (shown.kind !== 'text') return fc.oneof({ weight: 4, arbitrary: present }, any);
  const part = fc
    .tuple(present, bound, bound)
    .map(([value, from, to]) => Array.from(String(value)).slice(from, to).join(''));
  return fc.oneof(present, part, any);
};

const filterFor = (people: readonly User[]): fc.Arbitrary<Filter<UserListField>> =>
  fc
    .constantFrom(...FIELDS)
    .chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(...operatorsOf(userListFields[field]))))
    .chain(([field, operator]) => {
      const value = valueFor(people, field);
      const operand: fc.Arbitrary<ListValue | readonly ListValue[]> =
        operator === 'isnull' ? fc.boolean() : operator === 'in' ? fc.array(value, { maxLength: 4 }) : value;
      // The value has the type that this operator needs.
      return operand.map((drawn) => ({ field, operator, value: drawn }) as Filter<UserListField>);
    });

const wordFor = (people: readonly User[]): fc.Arbitrary<string> =>
  fc
    .constantFrom(...SEARCHED)
    .chain((field) => valueFor(people, field))
    .map(String)
    .filter((word) => word !== '');

const order = fc
  .uniqueArray(fc.record({ field: fc.constantFrom(...FIELDS), descending: fc.boolean() }), {
    maxLength: 3,
    selector: ({ field }) => field,
  })
  .map((steps) => completeOrder<UserListField>(steps));

/** Queries of the first page of a list, with random values of all parameters. Values come from the stored users. */
export const queriesFor = (people: readonly User[]): fc.Arbitrary<ListQuery<UserListField>> =>
  fc.record({
    filters: fc.oneof(fc.constant([]), fc.array(filterFor(people), { maxLength: 3 })),
    words: fc.oneof(fc.constant([]), fc.array(wordFor(people), { maxLength: 3 })),
    searched: fc.oneof(fc.constant(SEARCHED), fc.constant(['username'] as const)),
    order,
    size: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 })),
    position: fc.constant(null),
    counted: fc.boolean(),
  });

/** Positions in a list with an order: of stored and other values. */
export const positionsFor = (
  people: readonly User[],
  { order }: Pick<ListQuery<UserListField>, 'order'>,
): fc.Arbitrary<Position> =>
  fc.record({
    side: fc.constantFrom('after', 'before'),
    inclusive: fc.boolean(),
    values: fc.tuple(
      ...order.map(({ field }) => {
        const { kind, nullable } = userListFields[field];
        // A position contains the ranks of groups. A filter contains a name.
        const value =
          kind === 'groups' ? fc.constantFrom('', '0', '01', '02', '012', '1', '12', '2') : valueFor(people, field);
        return nullable ? fc.option(value) : value;
      }),
    ),
  });
