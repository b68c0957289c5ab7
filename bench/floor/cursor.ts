import { crc32 } from 'node:zlib';

/** What tells the cursors of one list, order and filter from all others, as the service makes it. */
export const markOf = (list: string, order: readonly object[], filters: readonly string[], words: readonly string[]) =>
  crc32(JSON.stringify([list, order, filters, words])).toString(36);

/** The cursor of a place beside a row. */
export const cursorOf = (mark: string, side: 'after' | 'before', values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([mark, side, false, ...values])).toString('base64url');

/** The values in a cursor, undefined where it is another list's or of another kind. */
export const valuesIn = (cursor: string, mark: string): readonly string[] | undefined => {
  const [found, side, inclusive, ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
  return found === mark && side === 'after' && !inclusive ? values : undefined;
};
