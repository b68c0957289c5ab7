import { divisionFields } from '../fields/division-fields.ts';
import { type FieldColumns, type FieldsWith, fieldsWith } from '../fields/field-table.ts';
import { userFields } from '../fields/user-fields.ts';
import type { DivisionReference } from '../model/division.ts';
import { pick } from '../model/pick.ts';
import { foldCase } from '../model/text.ts';
import { GROUPS, type Group, type User } from '../model/user.ts';

/** A field that an item of a list shows: only such a field can be filtered, ordered and searched by. */
export type ListField = Pick<FieldColumns, 'kind' | 'nullable' | 'searched' | 'maxLength'>;

/** A field of users that can be asked for. */
export type UserListField = FieldsWith<typeof userFields, 'listed', true>;

/** A field that the list of a division's users shows, and so the only ones it can be asked by. */
export type DivisionUserListField = keyof typeof divisionUserListFields;

/** A field of divisions that can be asked for. */
export type DivisionListField = FieldsWith<typeof divisionFields, 'listed', true>;

/** A user as lists show them. To change one, read the user first: lists give no revision. */
export type ListedUser = Pick<User, UserListField>;

/** A user as the list of a division's users shows them. */
export type UserReference = Pick<User, DivisionUserListField>;

/** The fields of an item of the user list, in the order in which it shows them. Contract, section 4. */
export const userListFields: Readonly<Record<UserListField, ListField>> = pick(
  userFields,
  fieldsWith(userFields, 'listed', true),
);

/** The fields of an item of a division's user list: what is not here cannot be asked for there. */
export const divisionUserListFields = pick(userListFields, ['id', 'username']);

/** The fields of an item of the division list. */
export const divisionListFields: Readonly<Record<DivisionListField, ListField>> = pick(
  divisionFields,
  fieldsWith(divisionFields, 'listed', true),
);

/** How a filter compares. `in` means any of; on `groups`, `eq` means "is in" and `in` "is in one of". Contract, section 5. */
export type Operator = 'eq' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' | 'icontains' | 'istartswith' | 'isnull';

const ORDERED: readonly Operator[] = ['eq', 'in', 'lt', 'lte', 'gt', 'gte'];

/** The operators that apply to a kind of field; `isnull` comes with every field that is nullable. */
export const operatorsOf = ({ kind, nullable }: ListField): readonly Operator[] => [
  ...(kind === 'text'
    ? ([...ORDERED, 'icontains', 'istartswith'] as const)
    : kind === 'date' || kind === 'instant'
      ? ORDERED
      : (['eq', 'in'] as const)),
  ...(nullable ? (['isnull'] as const) : []),
];

/**
 * A value to compare with, in the form that is compared: text folded by `foldCase`, UUIDs in lower case, dates and
 * instants in their one text form.
 */
export type ListValue = string | boolean;

/**
 * A stored value of a field in the form that is compared and that positions hold: text folded, a division by its id,
 * groups by their ranks in one text ("02" is Leader and User, so that text order is the order of lists of ranks, Leader
 * first and nobody's before all), everything else as it is.
 */
export const listValueOf = ({ kind }: ListField, stored: unknown): ListValue | null => {
  if (stored === null) return null;
  if (kind === 'text') return foldCase(stored as string);
  if (kind === 'division') return (stored as DivisionReference).id;
  if (kind === 'groups') return (stored as readonly Group[]).map((group) => GROUPS.indexOf(group)).join('');
  return stored as ListValue;
};
