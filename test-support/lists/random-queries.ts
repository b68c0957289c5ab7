import * as fc from 'fast-check';
import {
  completeOrder,
  type Filter,
  foldCase,
  GROUPS,
  type ListField,
  type ListQuery,
  type ListValue,
  listValueOf,
  operatorsOf,
  type Position,
  type User,
  type UserListField,
  userListFields,
} from '../../packages/domain/src/ports/index.ts';
import { anyText, moment, someDay } from './random-members.ts';

/** The fields of a list, and the rows whose values queries contain. */
export interface QueriedList<Field extends string> {
  readonly fields: Readonly<Record<Field, ListField>>;
  readonly rows: readonly Readonly<Record<Field, unknown>>[];
}

const byKind = {
  text: anyText.map(foldCase),
  boolean: fc.boolean(),
  groups: fc.constantFrom(...GROUPS),
  date: someDay,
  instant: moment,
  uuid: fc.uuid({ version: 7 }),
  division: fc.uuid({ version: 7 }),
};

/** A value to compare a field with: usually a stored value, or a part of it for texts. */
const valueFor = <Field extends string>(
  { fields, rows }: QueriedList<Field>,
  field: Field,
): fc.Arbitrary<ListValue> => {
  const shown = fields[field];
  const any = byKind[shown.kind];
  const stored = rows.map((row) => listValueOf(shown, row[field])).filter((value) => value !== null);
  if (shown.kind === 'groups' || stored.length === 0) return any;
  const [present, bound] = [fc.constantFrom(...stored), fc.nat({ max: 8 })];
  if (shown.kind !== 'text') return fc.oneof({ weight: 4, arbitrary: present }, any);
  const part = fc
    .tuple(present, bound, bound)
    .map(([value, from, to]) => Array.from(String(value)).slice(from, to).join(''));
  return fc.oneof(present, part, any);
};

const filterFor = <Field extends string>(
  list: QueriedList<Field>,
  names: readonly Field[],
): fc.Arbitrary<Filter<Field>> =>
  fc
    .constantFrom(...names)
    .chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(...operatorsOf(list.fields[field]))))
    .chain(([field, operator]) => {
      const value = valueFor(list, field);
      const operand: fc.Arbitrary<ListValue | readonly ListValue[]> =
        operator === 'isnull' ? fc.boolean() : operator === 'in' ? fc.array(value, { maxLength: 4 }) : value;
      // The value has the type that this operator needs.
      return operand.map((drawn) => ({ field, operator, value: drawn }) as Filter<Field>);
    });

const wordFor = <Field extends string>(list: QueriedList<Field>, searched: readonly Field[]): fc.Arbitrary<string> =>
  fc
    .constantFrom(...searched)
    .chain((field) => valueFor(list, field))
    .map(String)
    .filter((word) => word !== '');

const orderOf = <Field extends string>(names: readonly Field[]) =>
  fc
    .uniqueArray(fc.record({ field: fc.constantFrom(...names), descending: fc.boolean() }), {
      maxLength: 3,
      selector: ({ field }) => field,
    })
    .map((steps) => completeOrder<Field>(steps));

/** Queries of the first page of a list, with random values of all parameters. Values come from the rows. */
export const queriesOf = <Field extends string>(list: QueriedList<Field>): fc.Arbitrary<ListQuery<Field | 'id'>> => {
  const names = Object.keys(list.fields) as Field[];
  const searched = names.filter((name) => list.fields[name].searched);
  return fc.record({
    filters: fc.oneof(fc.constant([]), fc.array(filterFor(list, names), { maxLength: 3 })),
    words: fc.oneof(fc.constant([]), fc.array(wordFor(list, searched), { maxLength: 3 })),
    searched: fc.constant(searched),
    order: orderOf(names),
    size: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 })),
    position: fc.constant(null),
    counted: fc.boolean(),
  });
};

const inUsernames = (query: ListQuery<UserListField>): ListQuery<UserListField> => ({
  ...query,
  searched: ['username'],
});

/** Queries of a list of these users, which search all texts or only usernames. */
export const queriesFor = (people: readonly User[]): fc.Arbitrary<ListQuery<UserListField>> => {
  const queries = queriesOf({ fields: userListFields, rows: people });
  return fc.oneof(queries, queries.map(inUsernames));
};

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
          kind === 'groups'
            ? fc.constantFrom('', '0', '01', '02', '012', '1', '12', '2')
            : valueFor({ fields: userListFields, rows: people }, field);
        return nullable ? fc.option(value) : value;
      }),
    ),
  });
