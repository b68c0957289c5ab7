import { crc32 } from 'node:zlib';
import {
  type FieldKind,
  isVisibleText,
  type ListField,
  type ListQuery,
  type Position,
  parseCalendarDate,
  parseUuid,
} from '@chapter/domain';
import { isInstant } from './values.ts';

/** What a cursor belongs to: with another list, order, filter or search it means nothing. */
export type CursorScope<Field extends string> = Pick<ListQuery<Field>, 'filters' | 'words' | 'order'> & {
  /** The list, and the target in its path where it has one. */
  readonly list: string;
};

type PositionValue = Position['values'][number];

/**
 * A mark of the scope: the same for every order in which the filters were given. A checksum will do (RFC 1952, section 8):
 * it keeps people from mixing cursors up, and nobody out.
 */
const fingerprint = <Field extends string>({ list, filters, words, order }: CursorScope<Field>): string => {
  const sorted = filters.map((filter) => JSON.stringify([filter.field, filter.operator, filter.value])).toSorted();
  return crc32(JSON.stringify([list, order, sorted, words])).toString(36);
};

/** Makes cursors of positions in one scope: base64url of a JSON array of fingerprint, side, inclusion and the sort values. */
export const makeEncodeCursor = <Field extends string>(scope: CursorScope<Field>): ((position: Position) => string) => {
  const mark = fingerprint(scope);
  return (position) => encode(mark, position);
};

const encode = (mark: string, { side, inclusive, values }: Position): string =>
  Buffer.from(JSON.stringify([mark, side, inclusive, ...values])).toString('base64url');

const isText = (value: PositionValue): boolean => typeof value === 'string' && isVisibleText(value);

const FITS: Readonly<Record<FieldKind, (value: PositionValue) => boolean>> = {
  text: isText,
  uuid: (value) => typeof value === 'string' && parseUuid(value) === value,
  division: (value) => typeof value === 'string' && parseUuid(value) === value,
  date: (value) => typeof value === 'string' && parseCalendarDate(value) === value,
  instant: (value) => typeof value === 'string' && isInstant(value),
  boolean: (value) => typeof value === 'boolean',
  groups: (value) => typeof value === 'string' && /^0?1?2?$/.test(value),
};

/**
 * The position that a cursor stands for; undefined for what is no cursor of this list with these parameters. It need not
 * be signed: the scope of the list holds whatever a cursor says. What comes out has the types that the fields have.
 */
export const decodeCursor = <Field extends string>(
  scope: CursorScope<Field>,
  fields: Readonly<Record<string, ListField>>,
  cursor: string,
): Position | undefined => {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const parts = parseArray(Buffer.from(cursor, 'base64url').toString());
  if (!parts) return undefined;
  const [mark, side, inclusive, ...rest] = parts;
  if ((side !== 'after' && side !== 'before') || typeof inclusive !== 'boolean') return undefined;
  const values = rest as PositionValue[];
  const fit = scope.order.every(({ field }, at) => {
    const value = values[at];
    const shown = fields[field];
    return shown !== undefined && value !== undefined && (value === null ? shown.nullable : FITS[shown.kind](value));
  });
  if (!fit || values.length !== scope.order.length) return undefined;
  const position: Position = { side, inclusive, values };
  const own = fingerprint(scope);
  // Written again it must be the same text: there is one cursor for a position.
  return mark === own && encode(own, position) === cursor ? position : undefined;
};

const parseArray = (text: string): readonly unknown[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};
