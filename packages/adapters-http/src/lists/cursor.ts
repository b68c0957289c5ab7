import { crc32 } from 'node:zlib';
import {
  type FieldKind,
  GROUPS,
  isInstant,
  isUuid,
  isVisibleText,
  type ListField,
  type ListQuery,
  type Position,
  parseCalendarDate,
} from '@chapter/domain/api';

/** A query with its checksum, which its cursors contain, and the form of the CSV if the request says it. */
export type QueryWithChecksum<Field extends string> = ListQuery<Field> & {
  readonly checksum: string;
  readonly spreadsheet?: boolean;
};

type PositionValue = Position['values'][number];

/**
 * Returns the checksum of a query, which makes its cursors invalid with any other list, order, filter or search. `key`
 * identifies the list, including the id in its path. The order of the filters does not change the checksum. CRC-32
 * suffices (RFC 1952, section 8): it detects mixed-up cursors and is not a security measure.
 */
export const checksumOf = (
  key: string,
  { filters, words, order }: Pick<ListQuery<string>, 'filters' | 'words' | 'order'>,
): string => {
  const sorted = filters.map((filter) => JSON.stringify([filter.field, filter.operator, filter.value])).toSorted();
  return crc32(JSON.stringify([key, order, sorted, words])).toString(36);
};

/** Encodes a position as a cursor: base64url of a JSON array of checksum, side, inclusion and the sort values. */
export const encodeCursor = (checksum: string, { side, inclusive, values }: Position): string =>
  Buffer.from(JSON.stringify([checksum, side, inclusive, ...values])).toString('base64url');

// `listValueOf` compares groups as one string of their ranks.
const RANKS = [...GROUPS.keys()];
const SORTED_RANKS = new RegExp(`^${RANKS.map((rank) => `${rank}?`).join('')}$`);

const ofText =
  (isValid: (text: string) => boolean) =>
  (value: PositionValue): boolean =>
    typeof value === 'string' && isValid(value);

const UUID_VALUES = { longest: '"00000000-0000-7000-8000-000000000000"', isValid: isUuid };

// The longest values as JSON. For texts, only the quotation marks: `maxBytesOf` adds four bytes per code point.
const POSITION_VALUES: Readonly<Record<FieldKind, { longest: string; isValid: (value: PositionValue) => boolean }>> = {
  text: { longest: '""', isValid: ofText(isVisibleText) },
  uuid: UUID_VALUES,
  division: UUID_VALUES,
  date: { longest: '"2000-01-01"', isValid: ofText((text) => parseCalendarDate(text) === text) },
  instant: { longest: '"2000-01-01T00:00:00.000Z"', isValid: ofText(isInstant) },
  boolean: { longest: 'false', isValid: (value) => typeof value === 'boolean' },
  groups: { longest: JSON.stringify(RANKS.join('')), isValid: ofText((text) => SORTED_RANKS.test(text)) },
};
const LONGEST_PREFIX_BYTES = '["1z141z3","before",false]'.length;

const maxBytesOf = ({ kind, maxLength }: ListField): number => POSITION_VALUES[kind].longest.length + 4 * maxLength;

/** Returns the maximum length of a cursor for an order by these fields, from their maximum lengths. */
export const maxCursorLength = (ordered: readonly ListField[]): number => {
  const bytes = ordered.reduce((sum, field) => sum + ','.length + maxBytesOf(field), LONGEST_PREFIX_BYTES);
  return Math.ceil((bytes * 4) / 3);
};

// Longer values are never stored. The `previous` cursor of an empty page repeats the values of the sent cursor, and
// would be too long with them.
const isStorable = (field: ListField, value: PositionValue): boolean =>
  Buffer.byteLength(JSON.stringify(value)) <= maxBytesOf(field);

/**
 * Decodes a cursor. Returns undefined if it is malformed or belongs to another query. Cursors need no signature,
 * because the caller's scope applies to every page. The values have the types of the fields.
 */
export const decodeCursor = (
  { checksum, order }: Pick<QueryWithChecksum<string>, 'checksum' | 'order'>,
  fields: Readonly<Record<string, ListField>>,
  cursor: string,
): Position | undefined => {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const parts = parseArray(Buffer.from(cursor, 'base64url').toString());
  if (!parts) return undefined;
  const [sentChecksum, side, inclusive, ...rest] = parts;
  if ((side !== 'after' && side !== 'before') || typeof inclusive !== 'boolean') return undefined;
  const values = rest as PositionValue[];
  const areValid = order.every(({ field }, index) => {
    const value = values[index];
    const listField = fields[field];
    if (listField === undefined || value === undefined) return false;
    return value === null
      ? listField.nullable
      : POSITION_VALUES[listField.kind].isValid(value) && isStorable(listField, value);
  });
  if (!areValid || values.length !== order.length) return undefined;
  const position: Position = { side, inclusive, values };
  // Each position has exactly one cursor, so other encodings of it are rejected.
  return sentChecksum === checksum && encodeCursor(checksum, position) === cursor ? position : undefined;
};

const parseArray = (text: string): readonly unknown[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};
