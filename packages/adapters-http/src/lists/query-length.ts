import { type WireFault, wireFault } from '../errors/wire-fault.ts';

/** Contract, section 1. */
const MAX_QUERY_BYTES = 24 * 1024;

/**
 * Bytes of a query string with a cursor at most: a request head of 32 KiB without 3 KiB for path and headers, a token among
 * them. Without its cursor it may have 24 KiB, as any other.
 */
export const MAX_QUERY_BYTES_WITH_CURSOR = 29 * 1024;

const CURSOR = /^(?:c|%63)(?:u|%75)(?:r|%72)(?:s|%73)(?:o|%6[Ff])(?:r|%72)(?:=|$)/;
const WITH_CURSOR = '&cursor='.length;

/** All parameters of a query string but the cursor, as they were sent. */
export const withoutCursor = (queryString: string): string =>
  queryString
    .split('&')
    .filter((part) => part !== '' && !CURSOR.test(part))
    .join('&');

const tooLong = (detail: string): WireFault => wireFault('', 'too_long', detail);

/** The fault of a query string that is too long to be read; undefined when it is not. */
export const lengthFault = (queryString: string): WireFault | undefined =>
  queryString.length > MAX_QUERY_BYTES
    ? tooLong(`the query string must have at most ${MAX_QUERY_BYTES} bytes`)
    : undefined;

/** The same for a list, where a cursor of at most `maxCursor` characters does not count: `next` adds it to what was sent. */
export const listLengthFault = (queryString: string, maxCursor: number): WireFault | undefined => {
  const fault = lengthFault(queryString);
  if (!fault) return undefined;
  const rest = withoutCursor(queryString);
  const isNextPage = queryString.length <= rest.length + WITH_CURSOR + maxCursor;
  return isNextPage ? lengthFault(rest) : fault;
};

/** The fault of a query string whose `next` could be too long, if the cursor has `maxCursor` characters. */
export const roomFault = (queryString: string, maxCursor: number): WireFault | undefined => {
  const room = MAX_QUERY_BYTES_WITH_CURSOR - WITH_CURSOR - maxCursor;
  if (queryString.length <= room || withoutCursor(queryString).length <= room) return undefined;
  return tooLong(
    `with this ordering, the query string must have at most ${room} bytes beside the cursor of the next page`,
  );
};
