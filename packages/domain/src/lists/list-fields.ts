import { divisionRules } from '../fields/division-fields.ts';
import type { TextRule } from '../fields/field-check.ts';
import { userRules } from '../fields/user-fields.ts';
import type { DivisionReference } from '../model/division.ts';
import { GROUPS, type Group } from '../model/group.ts';
import { foldCase } from '../model/text.ts';

/** What a visible field holds, which decides its operators and how it is compared. */
export type FieldKind = 'text' | 'uuid' | 'date' | 'instant' | 'boolean' | 'groups' | 'division';

/** A field that an item of a list shows: only such a field can be filtered, ordered and searched by. */
export interface ListField {
  readonly kind: FieldKind;
  readonly nullable: boolean;
  /** Whether the list's search looks into it. */
  readonly searched: boolean;
  /** Code points of a stored text at most; 0 where the field is no text. */
  readonly maxLength: number;
}

const field = (kind: Exclude<FieldKind, 'text'>, { nullable = false } = {}): ListField => ({
  kind,
  nullable,
  searched: false,
  maxLength: 0,
});

const text = ({ max }: TextRule, { nullable = false, searched = false } = {}): ListField => ({
  kind: 'text',
  nullable,
  searched,
  maxLength: max,
});

/** The fields of an item of the user list, in the order in which it shows them. Contract, section 4. */
export const userListFields = {
  id: field('uuid'),
  username: text(userRules.username, { searched: true }),
  email: text(userRules.email, { nullable: true, searched: true }),
  firstName: text(userRules.personName, { searched: true }),
  lastName: text(userRules.personName, { searched: true }),
  division: field('division'),
  groups: field('groups'),
  birthdate: field('date', { nullable: true }),
  isActive: field('boolean'),
  isStaff: field('boolean'),
  isSuperuser: field('boolean'),
  dateJoined: field('instant'),
} as const satisfies Record<string, ListField>;

/** The fields of an item of a division's user list: what is not here cannot be asked for there. */
export const divisionUserListFields = {
  id: userListFields.id,
  username: userListFields.username,
} as const satisfies Record<string, ListField>;

/** The fields of an item of the division list. */
export const divisionListFields = {
  id: field('uuid'),
  name: text(divisionRules.name, { searched: true }),
  logo: text(divisionRules.url, { nullable: true }),
  fanpage: text(divisionRules.url, { nullable: true }),
} as const satisfies Record<string, ListField>;

/** A field that the list of a division's users shows, and so the only ones it can be asked by. */
export type DivisionUserListField = keyof typeof divisionUserListFields;

/** A field of users that can be asked for. */
export type UserListField = keyof typeof userListFields;

/** A field of divisions that can be asked for. */
export type DivisionListField = keyof typeof divisionListFields;

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
