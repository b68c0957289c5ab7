import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { unknownName } from '../errors/unknown-name.ts';
import { type WireFault, wireFault } from '../errors/wire-fault.ts';
import { lengthFault } from './query-length.ts';

/** The decoded parameters of a query string without repetitions, and the faults in its syntax. */
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

/** Parses a query string and finds parameters that are malformed, unnamed or repeated. */
export const parseQueryString = (text: string): QueryString => {
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
    else if (parameters.has(name) || faults.has(name)) add(name, 'duplicate', 'appears more than once');
    else {
      const value = equals < 0 ? '' : decode(part.slice(equals + 1));
      if (value === undefined) add(name, 'invalid_format', 'is not well-formed percent-encoded UTF-8');
      else parameters.set(name, value);
    }
  }
  return { parameters, faults: [...faults.values()] };
};

/** Returns the fault of an unknown parameter and suggests the nearest known one. */
export const unknownParameter = (name: string, known: Iterable<string>): WireFault =>
  wireFault(name, 'unknown_parameter', unknownName('parameter', name, known));

/** Returns a fault for each parameter of a request that takes none. */
export const unexpectedParameterFaults = (text: string): readonly WireFault[] => {
  if (text === '') return [];
  const tooLong = lengthFault(text);
  if (tooLong) return [tooLong];
  const { parameters, faults } = parseQueryString(text);
  const unexpected: WireFault[] = [...faults];
  for (const name of parameters.keys()) {
    if (unexpected.length >= MAX_FAULTS) break;
    unexpected.push(unknownParameter(name, []));
  }
  return unexpected;
};
