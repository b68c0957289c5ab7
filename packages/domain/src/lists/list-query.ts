import type { ListValue, Operator } from './list-fields.ts';

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

/** The parts of a query that differ from the defaults of {@link listQuery}. */
export type ListQueryParts<Field extends string> = Partial<Omit<ListQuery<Field | 'id'>, 'order'>> & {
  /** Names of fields, with `-` in front for descending. {@link completeOrder} completes it. */
  readonly order?: readonly (Field | 'id' | `-${Field | 'id'}`)[];
};

/** Completes a query: all rows in the order of their ids on one page of the largest size, unless a part says otherwise. */
export const listQuery = <Field extends string>({
  order = [],
  ...parts
}: ListQueryParts<Field>): ListQuery<Field | 'id'> => ({
  filters: [],
  words: [],
  searched: [],
  order: completeOrder(order.map((name) => orderOf<Field>(name))),
  size: listRules.maxSize,
  position: null,
  counted: false,
  ...parts,
});

const orderOf = <Field extends string>(name: string): Order<Field | 'id'> => {
  const descending = name.startsWith('-');
  // The type of the names leaves nothing else behind the sign.
  return { field: (descending ? name.slice(1) : name) as Field | 'id', descending };
};
