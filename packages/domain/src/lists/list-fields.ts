import { divisionFields } from '../fields/division-fields.ts';
import { type FieldColumns, type FieldsWith, fieldsWith } from '../fields/field-table.ts';
import { userFields } from '../fields/user-fields.ts';
import type { DivisionReference } from '../model/division.ts';
import { pick } from '../model/pick.ts';
import { foldCase } from '../model/text.ts';
import { GROUPS, type Group, type User } from '../model/user.ts';

/** A field that list items show. Only such fields can be used in filters, orders and searches. */
export type ListField = Pick<FieldColumns, 'kind' | 'nullable' | 'searched' | 'maxLength'>;

/** A field of users that a query may use. */
export type UserListField = FieldsWith<typeof userFields, 'listed', true>;

/** A field that the list of a division's users shows and that its queries may use. */
export type DivisionUserListField = keyof typeof divisionUserListFields;

/** A field of divisions that a query may use. */
export type DivisionListField = FieldsWith<typeof divisionFields, 'listed', true>;

/** A user as lists show them, without revision. To change a user, read them first. */
export type ListedUser = Pick<User, UserListField>;

/** A user as the list of a division's users shows them. */
export type UserReference = Pick<User, DivisionUserListField>;

/** The fields of the user list, in the order in which items show them. See contract §4. */
export const userListFields: Readonly<Record<UserListField, ListField>> = pick(
  userFields,
  fieldsWith(userFields, 'listed', true),
);

/** The fields of the list of a division's users, which are the only ones that its queries may use. */
export const divisionUserListFields = pick(userListFields, ['id', 'username']);

/** The fields of the division list. */
export const divisionListFields: Readonly<Record<DivisionListField, ListField>> = pick(
  divisionFields,
  fieldsWith(divisionFields, 'listed', true),
);

/** Operators of filters. `in` means any of; on `groups`, `eq` and `in` test membership. See contract §5. */
export type Operator = 'eq' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' | 'icontains' | 'istartswith' | 'isnull';

const ORDERED: readonly Operator[] = ['eq', 'in', 'lt', 'lte', 'gt', 'gte'];

/** Returns the operators for a field: by its kind, and `isnull` for nullable fields. */
export const operatorsOf = ({ kind, nullable }: ListField): readonly Operator[] => [
  ...(kind === 'text'
    ? ([...ORDERED, 'icontains', 'istartswith'] as const)
    : kind === 'date' || kind === 'instant'
      ? ORDERED
      : (['eq', 'in'] as const)),
  ...(nullable ? (['isnull'] as const) : []),
];

/**
 * A value in the form in which lists compare it: text folded by `foldCase`, UUIDs in lower case, dates and instants in
 * their stored format.
 */
export type ListValue = string | boolean;

/**
 * Converts a stored value to the form that lists compare and positions contain. Text is folded, a division becomes its
 * id, and groups become a string of their ranks, such as "02" for Leader and User. In the order of these strings, users
 * without groups come first, then Leaders. Other values stay unchanged.
 */
export const listValueOf = ({ kind }: Pick<ListField, 'kind'>, stored: unknown): ListValue | null => {
  if (stored === null) return null;
  if (kind === 'text') return foldCase(stored as string);
  if (kind === 'division') return (stored as DivisionReference).id;
  if (kind === 'groups') return (stored as readonly Group[]).map((group) => GROUPS.indexOf(group)).join('');
  return stored as ListValue;
};
