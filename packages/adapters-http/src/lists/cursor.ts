import { crc32 } from 'node:zlib';
import {
  type FieldKind,
  GROUPS,
  isInstant,
  isVisibleText,
  type ListField,
  type ListQuery,
  type Position,
  parseCalendarDate,
  parseUuid,
} from '@chapter/domain';

/** A query with the mark of the cursors that belong to it, which only this package knows of. */
export type MarkedQuery<Field extends string> = ListQuery<Field> & { readonly mark: string };

type PositionValue = Position['values'][number];

/**
 * The mark of cursors that belong together: with another list, order, filter or search they mean nothing. The key tells
 * the list, with the target in its path, from all others. The mark is the same for every order in which the filters were
 * given. A checksum is enough (RFC 1952, section 8): it detects mixed-up cursors and is not a security measure.
 */
export const markOf = <Field extends string>(
  key: string,
  { filters, words, order }: Pick<ListQuery<Field>, 'filters' | 'words' | 'order'>,
): string => {
  const sorted = filters.map((filter) => JSON.stringify([filter.field, filter.operator, filter.value])).toSorted();
  return crc32(JSON.stringify([key, order, sorted, words])).toString(36);
};

/** The cursor of a position: base64url of a JSON array of mark, side, inclusion and the sort values. */
export const encodeCursor = (mark: string, { side, inclusive, values }: Position): string =>
  Buffer.from(JSON.stringify([mark, side, inclusive, ...values])).toString('base64url');

// Groups are compared by their ranks in one text, as in `listValueOf`.
const RANKS = [...GROUPS.keys()];
const SORTED_RANKS = new RegExp(`^${RANKS.map((rank) => `${rank}?`).join('')}$`);

// Bytes of a value in a cursor at most, as JSON. A code point of a text, folded and escaped, has at most four.
const WIDTHS: Readonly<Record<FieldKind, number>> = {
  text: '""'.length,
  uuid: '"00000000-0000-7000-8000-000000000000"'.length,
  division: '"00000000-0000-7000-8000-000000000000"'.length,
  date: '"2000-01-01"'.length,
  instant: '"2000-01-01T00:00:00.000Z"'.length,
  boolean: 'false'.length,
  groups: JSON.stringify(RANKS.join('')).length,
};
const WIDEST_START = '["1z141z3","before",false]'.length;

const widthOf = ({ kind, maxLength }: ListField): number => WIDTHS[kind] + 4 * maxLength;

/** Returns the length of the longest cursor for an order by these fields, from the bounds of the fields. */
export const maxCursorLength = (ordered: readonly ListField[]): number => {
  const bytes = ordered.reduce((sum, field) => sum + ','.length + widthOf(field), WIDEST_START);
  return Math.ceil((bytes * 4) / 3);
};

const isText = (value: PositionValue): boolean => typeof value === 'string' && isVisibleText(value);

const FITS: Readonly<Record<FieldKind, (value: PositionValue) => boolean>> = {
  text: isText,
  uuid: (value) => typeof value === 'string' && parseUuid(value) === value,
  division: (value) => typeof value === 'string' && parseUuid(value) === value,
  date: (value) => typeof value === 'string' && parseCalendarDate(value) === value,
  instant: (value) => typeof value === 'string' && isInstant(value),
  boolean: (value) => typeof value === 'boolean',
  groups: (value) => typeof value === 'string' && SORTED_RANKS.test(value),
};

// A wider value was never stored, and the way back from an empty page would be a cursor that is too long.
const isStorable = (shown: ListField, value: PositionValue): boolean =>
  Buffer.byteLength(JSON.stringify(value)) <= widthOf(shown);

/**
 * The position that a cursor stands for; undefined for what is no cursor with this mark in this order. It need not be
 * signed: the scope of the list applies regardless. Its values have the types of the fields.
 */
export const decodeCursor = <Field extends string>(
  { mark, order }: Pick<MarkedQuery<Field>, 'mark' | 'order'>,
  fields: Readonly<Record<string, ListField>>,
  cursor: string,
): Position | undefined => {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const parts = parseArray(Buffer.from(cursor, 'base64url').toString());
  if (!parts) return undefined;
  const [found, side, inclusive, ...rest] = parts;
  if ((side !== 'after' && side !== 'before') || typeof inclusive !== 'boolean') return undefined;
  const values = rest as PositionValue[];
  const fit = order.every(({ field }, at) => {
    const value = values[at];
    const shown = fields[field];
    if (shown === undefined || value === undefined) return false;
    return value === null ? shown.nullable : FITS[shown.kind](value) && isStorable(shown, value);
  });
  if (!fit || values.length !== order.length) return undefined;
  const position: Position = { side, inclusive, values };
  // Written again it must be the same text: there is one cursor for a position.
  return found === mark && encodeCursor(mark, position) === cursor ? position : undefined;
};

const parseArray = (text: string): readonly unknown[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};
