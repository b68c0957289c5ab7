import type { DivisionReference } from './division.ts';
import { GROUPS, type Group } from './group.ts';
import { foldCase } from './text.ts';

/** What a visible field holds, which decides its operators and how it is compared. */
export type FieldKind = 'text' | 'uuid' | 'date' | 'instant' | 'boolean' | 'groups' | 'division';

/** A field that an item of a list shows: only such a field can be filtered, ordered and searched by. */
export interface ListField {
  readonly kind: FieldKind;
  readonly nullable: boolean;
  /** Whether the list's search looks into it. */
  readonly searched: boolean;
}

const field = (kind: FieldKind, { nullable = false, searched = false } = {}): ListField => ({
  kind,
  nullable,
  searched,
});

/** The fields of an item of the user list, in the order in which it shows them. Contract, section 4. */
export const userListFields = {
  id: field('uuid'),
  username: field('text', { searched: true }),
  email: field('text', { nullable: true, searched: true }),
  firstName: field('text', { searched: true }),
  lastName: field('text', { searched: true }),
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
  name: field('text', { searched: true }),
  logo: field('text', { nullable: true }),
  fanpage: field('text', { nullable: true }),
} as const satisfies Record<string, ListField>;

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

/** One condition; all of a query's must hold. Nothing compares with null, so a null field passes `isnull` alone. */
export type Filter<Field extends string> =
  | { readonly field: Field; readonly operator: 'in'; readonly value: readonly ListValue[] }
  | { readonly field: Field; readonly operator: 'isnull'; readonly value: boolean }
  | { readonly field: Field; readonly operator: Exclude<Operator, 'in' | 'isnull'>; readonly value: ListValue };

/**
 * One step of an order: text and ids by code point of the compared form, false before true, groups by the list of their
 * ranks. Null comes last in both directions.
 */
export interface Order<Field extends string> {
  readonly field: Field;
  readonly descending: boolean;
}

/**
 * A place between rows: the sort values of one row (by {@link listValueOf}), in the order of the query's `order`. The row
 * need not be there any more. `after` asks for the first rows behind that place, `before` for the last rows in front of
 * it; `inclusive` takes a row at the place itself too. Items are in the query's order either way.
 */
export interface Position {
  readonly side: 'after' | 'before';
  readonly inclusive: boolean;
  readonly values: readonly (ListValue | null)[];
}

/** What is asked of a list. The division is not part of it: the use case gives the scope, and nothing here widens it. */
export interface ListQuery<Field extends string> {
  readonly filters: readonly Filter<Field>[];
  /** Folded words, each of which must be found in one of the searched fields. */
  readonly words: readonly string[];
  /** The fields that the words are looked for in. */
  readonly searched: readonly Field[];
  /** Ends with `id`, so that no two rows are equal in it; names no field twice. */
  readonly order: readonly Order<Field>[];
  /** Rows of a page, 1 to 100. */
  readonly size: number;
  readonly position: Position | null;
  /** Whether to count what the filters, the words and the scope let through. */
  readonly counted: boolean;
}

/**
 * One page of a list. In the direction of travel (forwards unless the asked position is `before`) there is a way on
 * exactly when another row follows. Whence one came there is always a way back, and none from a page asked for without
 * a position. Ways lead past the last or first item, exclusive; from an empty page the way back is the asked position
 * turned around, inclusive, so that nothing on the border is lost.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** After the last item, or null. */
  readonly next: Position | null;
  /** Before the first item, or null. */
  readonly previous: Position | null;
  /** How many rows there are in all, wherever the position is; only where it was asked for. */
  readonly count?: number;
}

/** Bounds of the list parameters. Contract, section 5. */
export const listRules = { defaultSize: 50, maxSize: 100, maxWords: 5, maxSearchLength: 100, maxValues: 100 } as const;

/** The order of the given fields, completed by `id` in the direction of the last of them. */
export const completeOrder = <Field extends string>(
  order: readonly Order<Field | 'id'>[],
): readonly Order<Field | 'id'>[] => {
  const end = order.findIndex(({ field }) => field === 'id');
  // No two rows share an id: what would come behind it decides nothing.
  if (end >= 0) return order.slice(0, end + 1);
  return [...order, { field: 'id', descending: order.at(-1)?.descending ?? false }];
};
