import { type ListField, type ListValue, listValueOf, type Operator } from '../../lists/list-fields.ts';
import type { Filter, ListQuery, Page, Position } from '../../lists/list-query.ts';

type Fields<Field extends string> = Readonly<Record<Field, ListField>>;
type Row<Field extends string> = Readonly<Record<Field, unknown>>;

/**
 * Returns a page of the rows: filter, sort, slice. Written for correctness rather than speed, as the reference for
 * implementations in a database.
 */
export const pageOf = <Field extends string, Item extends Row<Field>>(
  fields: Fields<Field>,
  rows: readonly Item[],
  query: ListQuery<Field>,
): Page<Item> => {
  const { order, position, size } = query;
  const valuesOf = (row: Item): Position['values'] => order.map(({ field }) => listValueOf(fields[field], row[field]));
  const compare = (a: Position['values'], b: Position['values']): number =>
    order
      .map(({ descending }, at) => compareValues(a[at] ?? null, b[at] ?? null, descending))
      .find((difference) => difference !== 0) ?? 0;

  const found = rows.filter((row) => matches(fields, row, query));
  const sorted = found.toSorted((a, b) => compare(valuesOf(a), valuesOf(b)));
  const onSide = sorted.filter((row) => {
    if (!position) return true;
    const distance = compare(valuesOf(row), position.values) * (position.side === 'after' ? 1 : -1);
    return distance > 0 || (position.inclusive && distance === 0);
  });
  const backwards = position?.side === 'before';
  const items = backwards ? onSide.slice(-size) : onSide.slice(0, size);
  const positions = positionsAround(items.map(valuesOf), position, onSide.length > items.length);
  return { items, ...positions, ...(query.counted ? { count: found.length } : {}) };
};

/** Returns the positions of a page. `more` tells whether further rows follow in the direction of reading. */
const positionsAround = (
  rows: readonly Position['values'][],
  position: Position | null,
  more: boolean,
): Pick<Page<unknown>, 'next' | 'previous'> => {
  const [first, last] = [rows[0], rows.at(-1)];
  // An empty page has no items to take positions from, so use the position of the query, including any row at it.
  const before: Position = { side: 'before', inclusive: !first, values: first ?? position?.values ?? [] };
  const after: Position = { side: 'after', inclusive: !last, values: last ?? position?.values ?? [] };
  if (position === null) return { next: more ? after : null, previous: null };
  return position.side === 'after'
    ? { next: more ? after : null, previous: before }
    : { next: after, previous: more ? before : null };
};

const matches = <Field extends string>(
  fields: Fields<Field>,
  row: Row<Field>,
  { filters, searched, words }: ListQuery<Field>,
): boolean =>
  filters.every((filter) => passesFilter(filter, fields[filter.field], row[filter.field])) &&
  words.every((word) =>
    searched.some((field) => {
      const text = listValueOf(fields[field], row[field]);
      return typeof text === 'string' && text.includes(word);
    }),
  );

const passesFilter = (filter: Filter<string>, field: ListField, stored: unknown): boolean => {
  if (filter.operator === 'isnull') return (stored === null) === filter.value;
  const value = listValueOf(field, stored);
  if (value === null) return false;
  const expected: readonly ListValue[] = filter.operator === 'in' ? filter.value : [filter.value];
  if (field.kind === 'groups') return expected.some((group) => (stored as readonly unknown[]).includes(group));
  return expected.some((other) => comparisons[filter.operator](value, other));
};

const comparisons: Record<Exclude<Operator, 'isnull'>, (value: ListValue, expected: ListValue) => boolean> = {
  eq: (value, expected) => value === expected,
  in: (value, expected) => value === expected,
  lt: (value, expected) => compareValues(value, expected, false) < 0,
  lte: (value, expected) => compareValues(value, expected, false) <= 0,
  gt: (value, expected) => compareValues(value, expected, false) > 0,
  gte: (value, expected) => compareValues(value, expected, false) >= 0,
  icontains: (value, expected) => String(value).includes(String(expected)),
  istartswith: (value, expected) => String(value).startsWith(String(expected)),
};

/** Orders false before true, text by code point, and null last in both directions. */
const compareValues = (a: ListValue | null, b: ListValue | null, descending: boolean): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const difference = typeof a === 'string' && typeof b === 'string' ? compareCodePoints(a, b) : Number(a) - Number(b);
  return descending ? -difference : difference;
};

/**
 * Compares by code point, like PostgreSQL's "C" collation of UTF-8. JavaScript's `<` compares UTF-16 units, which puts
 * characters above U+FFFF before U+E000.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rankOfUnit(left) - rankOfUnit(right);
  }
  return a.length - b.length;
};

/** Ranks surrogates above all other units, because they encode code points above U+FFFF. */
const rankOfUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
