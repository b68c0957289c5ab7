import { type WireFault, wireFault } from '../errors/wire-fault.ts';

/** The maximum length of a query string without its cursor (contract §1). */
const MAX_QUERY_BYTES = 24 * 1024;

/**
 * The maximum length, in bytes, of a query string with a cursor: a request head of 32 KiB minus 3 KiB for the path and the
 * headers, including the access token.
 */
export const MAX_QUERY_BYTES_WITH_CURSOR = 29 * 1024;

const CURSOR = /^(?:c|%63)(?:u|%75)(?:r|%72)(?:s|%73)(?:o|%6[Ff])(?:r|%72)(?:=|$)/;
const CURSOR_NAME_LENGTH = '&cursor='.length;

/** Returns a query string without its cursor; all other parameters stay as they were sent. */
export const withoutCursor = (queryString: string): string =>
  queryString
    .split('&')
    .filter((part) => part !== '' && !CURSOR.test(part))
    .join('&');

const tooLong = (detail: string): WireFault => wireFault('', 'too_long', detail);

/** Returns the fault of a query string that is too long, else undefined. */
export const lengthFault = (queryString: string): WireFault | undefined =>
  queryString.length > MAX_QUERY_BYTES
    ? tooLong(`the query string must have at most ${MAX_QUERY_BYTES} bytes`)
    : undefined;

/** Like {@link lengthFault} for a list: a cursor of at most `maxCursor` characters does not count, because `next` adds it. */
export const listLengthFault = (queryString: string, maxCursor: number): WireFault | undefined => {
  const fault = lengthFault(queryString);
  if (!fault) return undefined;
  const rest = withoutCursor(queryString);
  const isNextPage = queryString.length <= rest.length + CURSOR_NAME_LENGTH + maxCursor;
  return isNextPage ? lengthFault(rest) : fault;
};

/** Returns the fault of a query string whose `next` would be too long with a cursor of `maxCursor` characters. */
export const nextLengthFault = (queryString: string, maxCursor: number): WireFault | undefined => {
  const maxLength = MAX_QUERY_BYTES_WITH_CURSOR - CURSOR_NAME_LENGTH - maxCursor;
  if (queryString.length <= maxLength || withoutCursor(queryString).length <= maxLength) return undefined;
  return tooLong(`with this ordering, the query string must have at most ${maxLength} bytes without the cursor`);
};
