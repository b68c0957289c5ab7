import { MAX_FAULTS, unknownName, type WireFault, wireFault } from '../errors/faults.ts';

/** The maximum length of a query string without its cursor (contract §1). */
const MAX_QUERY_BYTES = 24 * 1024;

/**
 * The maximum length, in bytes, of a query string with a cursor: a request head of 32 KiB minus 3 KiB for the path and
 * the headers, including the access token.
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

/** Like {@link lengthFault} for a list. A cursor of at most `maxCursor` characters does not count: `next` adds it. */
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

/** The decoded parameters of a query string, each once, and the faults in its syntax. */
export interface QueryString {
  readonly parameters: ReadonlyMap<string, string>;
  readonly faults: readonly WireFault[];
}

const EMPTY: QueryString = { parameters: new Map(), faults: [] };

// Characters outside ASCII must be percent-encoded (RFC 3986). Node passes raw bytes on as Latin-1.
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/** Returns percent-decoded text, or undefined if it is malformed or not UTF-8. It is not normalized yet. */
const decode = (encoded: string): string | undefined => {
  if (!VISIBLE_ASCII.test(encoded)) return undefined;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/**
 * Parses a query string and finds parameters that are malformed, unnamed or repeated. The values of a repeated
 * parameter for which `isList` is true are joined by commas.
 */
export const parseQueryString = (text: string, isList: (name: string) => boolean = () => false): QueryString => {
  if (text === '') return EMPTY;
  const parameters = new Map<string, string>();
  const faults = new Map<string, WireFault>();
  const add = (name: string, code: WireFault['code'], detail: string): void => {
    if (!faults.has(name)) faults.set(name, wireFault(name, code, detail));
  };
  for (const part of text.split('&')) {
    if (part === '') continue;
    // Faults after the first 50 are not reported, and each malformed escape costs an exception.
    if (faults.size === MAX_FAULTS) break;
    const equals = part.indexOf('=');
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const name = decode(rawName);
    if (name === undefined) add(rawName, 'invalid_format', 'is not well-formed percent-encoded UTF-8');
    else if (name === '') add('', 'unknown_parameter', 'a parameter must have a name');
    else if (faults.has(name) || (parameters.has(name) && !isList(name))) {
      add(name, 'duplicate', 'appears more than once');
    } else {
      const value = equals < 0 ? '' : decode(part.slice(equals + 1));
      if (value === undefined) add(name, 'invalid_format', 'is not well-formed percent-encoded UTF-8');
      else parameters.set(name, parameters.has(name) ? `${parameters.get(name)},${value}` : value);
    }
  }
  return { parameters, faults: [...faults.values()] };
};

/** Returns the fault of an unknown parameter and suggests the nearest known one. */
export const unknownParameter = (name: string, known: Iterable<string>): WireFault =>
  wireFault(name, 'unknown_parameter', unknownName('parameter', name, known));

/** Parses the query string of a request that takes the parameters with the given names, and finds unknown ones. */
export const parseParameters = (text: string, known: readonly string[]): QueryString => {
  const tooLong = lengthFault(text);
  if (tooLong) return { ...EMPTY, faults: [tooLong] };
  const { parameters, faults } = parseQueryString(text);
  const unexpected: WireFault[] = [...faults];
  for (const name of parameters.keys()) {
    if (unexpected.length >= MAX_FAULTS) break;
    if (!known.includes(name)) unexpected.push(unknownParameter(name, known));
  }
  return { parameters, faults: unexpected };
};
