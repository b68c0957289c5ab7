import { type Checked, fault, normalizationFault } from '../fields/field-check.ts';
import type { AuditedChange } from '../model/audit-entry.ts';
import { codePointLength, foldCase, isVisibleText, snakeCase } from '../model/text.ts';
import type { ListValue, Operator } from './list-fields.ts';

/** One condition; all conditions of a query must hold. A null field matches only `isnull`. */
export type Filter<Field extends string> =
  | { readonly field: Field; readonly operator: 'in'; readonly value: readonly ListValue[] }
  | { readonly field: Field; readonly operator: 'isnull'; readonly value: boolean }
  | { readonly field: Field; readonly operator: Exclude<Operator, 'in' | 'isnull'>; readonly value: ListValue };

/**
 * One field of an order. Values are compared in the form that `listValueOf` returns: text and ids by code point, false
 * before true. Null comes last in both directions.
 */
export interface Order<Field extends string> {
  /** The field whose values are compared. */
  readonly field: Field;
  /** Whether the greatest value comes first. */
  readonly descending: boolean;
}

/**
 * A position between rows: the sort values of one row (by {@link listValueOf}) in the order of the query. The row need
 * not exist any more. `after` selects the first rows after the position, `before` the last rows before it; `inclusive`
 * also selects a row at the position. Items are always in the query's order.
 */
export interface Position {
  /** Which side of the position the rows are on. */
  readonly side: 'after' | 'before';
  /** Whether a row at the position is selected too. */
  readonly inclusive: boolean;
  /** One value for each field of the complete order. */
  readonly values: readonly (ListValue | null)[];
}

/** A query of a list. It does not contain the division: the use case sets the scope, and no query can widen it. */
export interface ListQuery<Field extends string> {
  readonly filters: readonly Filter<Field>[];
  /** Folded words, each of which must occur in one of the searched fields. */
  readonly words: readonly string[];
  /** The fields to search for the words. */
  readonly searched: readonly Field[];
  /** Ends with `id`, so that the order is total; contains no field twice. */
  readonly order: readonly Order<Field>[];
  /** Page size, 1 to 100. */
  readonly size: number;
  readonly position: Position | null;
  /** Whether to count all rows that match the scope, the filters and the words. */
  readonly counted: boolean;
}

/**
 * One page of a list. A query with side `before` reads backwards: `previous` is null if no more rows precede the page,
 * and `next` is set. Every other query reads forwards: `next` is null if no more rows follow the page, and `previous`
 * is null only if the query has no position.
 *
 * If the page is empty and the query has a position, the page returns this position with the other side, for reading in
 * the opposite direction. It is then inclusive, because the query may have excluded the row at the position.
 */
export interface Page<Item> {
  /** In the order of the query. */
  readonly items: readonly Item[];
  /** The position after the last item, or null. */
  readonly next: Position | null;
  /** The position before the first item, or null. */
  readonly previous: Position | null;
  /** Total number of rows, independent of the position; present only if the query asks for it. */
  readonly count?: number;
}

/** Limits of the list parameters. See contract §5. */
export const listRules = { defaultSize: 50, maxSize: 100, maxWords: 5, maxSearchLength: 100, maxValues: 100 } as const;

/** Returns the order of the given fields, completed by `id` in the direction of the last one. */
export const completeOrder = <Field extends string>(
  order: readonly Order<Field | 'id'>[],
): readonly Order<Field | 'id'>[] => {
  const end = order.findIndex(({ field }) => field === 'id');
  // Ids are unique, so fields after the id have no effect.
  if (end >= 0) return order.slice(0, end + 1);
  return [...order, { field: 'id', descending: order.at(-1)?.descending ?? false }];
};

/** The parts of a query that differ from the defaults of {@link listQuery}. */
export type ListQueryParts<Field extends string> = Partial<Omit<ListQuery<Field | 'id'>, 'order'>> & {
  /** Names of fields, prefixed with `-` for descending. {@link completeOrder} completes the order. */
  readonly order?: readonly (Field | 'id' | `-${Field | 'id'}`)[];
};

/** Completes a query. By default it selects all rows in the order of their ids, with the maximum page size. */
export const listQuery = <Field extends string>({
  order = [],
  ...parts
}: ListQueryParts<Field>): ListQuery<Field | 'id'> => ({
  filters: [],
  words: [],
  searched: [],
  order: completeOrder(
    order.map((name) => {
      const descending = name.startsWith('-');
      // The type of the names guarantees a field after the sign.
      return { field: (descending ? name.slice(1) : name) as Field | 'id', descending };
    }),
  ),
  size: listRules.maxSize,
  position: null,
  counted: false,
  ...parts,
});

/** Returns the words of a search, folded and without duplicates, or the fault of the text. See contract §5. */
export const readSearch = (sent: string): Checked<readonly string[]> => {
  const { maxSearchLength, maxWords } = listRules;
  const unsafe = normalizationFault(sent, maxSearchLength);
  if (unsafe) return unsafe;
  const text = sent.normalize('NFC');
  if (codePointLength(text) > maxSearchLength) {
    return fault('too_long', `must have at most ${maxSearchLength} characters`);
  }
  const words = text.split(/\s+/u).filter((word) => word !== '');
  if (!words.every(isVisibleText)) return fault('invalid_format', 'contains a control or invisible character');
  if (words.length > maxWords) return fault('too_long', `must have at most ${maxWords} words`);
  return { value: [...new Set(words.map(foldCase))] };
};

/** A query of a whole list, which has no pages and no count. */
export type ExportQuery<Field extends string> = Pick<ListQuery<Field>, 'filters' | 'words' | 'searched' | 'order'>;

/**
 * Describes an export for an audit entry: the names of its filters as clients write them (`birthdate__gte`), with
 * `search` if it searches. Contains no values, because these may be personal.
 */
export const exportedWith = ({ filters, words }: ExportQuery<string>): Readonly<Record<string, AuditedChange>> => {
  const names = filters.map(({ field, operator }) => snakeCase(field) + (operator === 'eq' ? '' : `__${operator}`));
  return { filters: { old: null, new: words.length > 0 ? [...names, 'search'] : names } };
};
