import { isIP } from 'node:net';
import { splitHosts, TARGET_SESSION_ATTRS, urlParameters } from '@chapter/adapters-postgres/database-url';
import { didYouMean } from '../text/text.ts';

/** The value of a setting, or a fault that continues a sentence that starts with the setting's name. */
type Parsed<T> = { readonly value: T } | { readonly fault: string };

/** Parses the text of a setting, which is never empty. */
export type Parse<T> = (text: string) => Parsed<T>;

const quote = (text: string): string => JSON.stringify(text);

/** Accepts one of the given words, case-sensitively. */
export const oneOf =
  <T extends string>(words: readonly T[]): Parse<T> =>
  (text) => {
    const value = words.find((word) => word === text);
    if (value !== undefined) return { value };
    const choice = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
    return { fault: `must be ${choice}, but is ${quote(text)}${didYouMean(text, words)}` };
  };

/** Accepts `true` or `false`. */
export const trueOrFalse: Parse<boolean> = (text) => {
  const parsed = oneOf(['true', 'false'])(text);
  return 'fault' in parsed ? parsed : { value: parsed.value === 'true' };
};

/** Accepts a whole number in decimal digits; both bounds are inclusive. */
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return { value };
    return { fault: `must be a whole number from ${min} to ${max}, but is ${quote(text)}` };
  };

/** Accepts what `parse` accepts, and the word `off`, which means null. */
export const orOff =
  <T>(parse: Parse<T>): Parse<T | null> =>
  (text) => {
    if (text === 'off') return { value: null };
    const parsed = parse(text);
    return 'fault' in parsed ? { fault: `${parsed.fault}; "off" is also valid` } : parsed;
  };

/** Accepts an IPv4 or IPv6 address. */
export const address: Parse<string> = (text) =>
  isIP(text) > 0 ? { value: text } : { fault: `must be an IPv4 or IPv6 address, but is ${quote(text)}` };

/** Accepts an IP address or a host name. */
export const host: Parse<string> = (text) =>
  isIP(text) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)
    ? { value: text }
    : { fault: `must be an IP address or a host name, but is ${quote(text)}` };

/** Accepts visible ASCII characters without white space. */
export const visibleAscii: Parse<string> = (text) =>
  /^[\x21-\x7e]{1,255}$/.test(text) ? { value: text } : { fault: 'must be 1 to 255 visible ASCII characters' };

/** Accepts a file path, which may be relative to the working directory. */
export const path: Parse<string> = (text) =>
  text.includes('\0') ? { fault: 'must be a file path without NUL characters' } : { value: text };

const port = integer(1, 65_535);

/** The range of PostgreSQL's time limits. */
const milliseconds = integer(0, 2_147_483_647);

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const isUsable = (url: URL | null): url is URL =>
  url !== null &&
  [url.username, url.password, url.pathname].every(isDecodable) &&
  url.pathname.length > 1 &&
  // The driver prefers the query parameter `port` to the port of the host.
  [url.port, ...url.searchParams.getAll('port')].every((given) => given === '' || 'value' in port(given));

/** Accepts a PostgreSQL URL with one or several hosts. Faults do not repeat it, because it may contain a password. */
export const postgresUrl: Parse<string> = (text) => {
  const urls = splitHosts(text).map((url) => (/^postgres(ql)?:\/\//.test(url) ? URL.parse(url) : null));
  const [first] = urls;
  const isValid = urls.every((url) => isUsable(url) && (urls.length === 1 || url.hostname !== ''));
  if (!first || !isValid) {
    return { fault: 'must be a URL such as postgresql://user:password@host:5432/database with a port from 1 to 65535' };
  }
  const parameters = urlParameters(text);
  if (parameters.get('host')?.includes(',') || (urls.length > 1 && parameters.has('host'))) {
    return {
      fault:
        'must list its hosts before the database (postgresql://host1:5432,host2:5432/database), not in the parameter host',
    };
  }
  const attrs = oneOf(TARGET_SESSION_ATTRS)(parameters.get('target_session_attrs') ?? 'primary');
  if ('fault' in attrs) return { fault: `has a target_session_attrs that ${attrs.fault}` };
  for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout']) {
    const timeout = milliseconds(parameters.get(name) ?? '0');
    if ('fault' in timeout) return { fault: `has a ${name} (milliseconds) that ${timeout.fault}` };
  }
  return { value: text };
};

/** Accepts a comma-separated list and removes duplicates. Reports all invalid items. */
export const listOf =
  <T>(parse: Parse<T>): Parse<readonly T[]> =>
  (text) => {
    const items = text.split(',').map((item) => item.trim());
    const parsed = items.map((item) => (item ? parse(item) : { fault: 'contains an empty item' }));
    const faults = parsed.flatMap((item) => ('fault' in item ? [item.fault] : []));
    if (faults.length > 0) return { fault: [...new Set(faults)].join('; ') };
    return { value: [...new Set(parsed.flatMap((item) => ('value' in item ? [item.value] : [])))] };
  };

/** Makes a parser of http and https URLs. Faults do not repeat the URL, because it may contain a password. */
const httpUrl =
  (excluded: RegExp, fault: string): Parse<string> =>
  (text) => {
    const url = URL.parse(text);
    if (!url || !/^https?:\/\//i.test(text))
      return { fault: 'must be an http or https URL such as https://example.org' };
    return url.username || url.password || excluded.test(text) ? { fault } : { value: url.href };
  };

/** Accepts an http or https URL to which a fragment can be appended. */
export const pageUrl = httpUrl(/#/, 'must have no user, password or fragment');

const urlOfFolder = httpUrl(/[?#]/, 'must have no user, password, query or fragment');

/** Accepts an http or https URL and removes trailing slashes, so that paths can be appended. */
export const baseUrl: Parse<string> = (text) => {
  const parsed = urlOfFolder(text);
  return 'fault' in parsed ? parsed : { value: parsed.value.replace(/\/+$/, '') };
};

/** Parses a URL whose scheme may be missing: http is assumed for this machine, https for other hosts. */
const guessUrl = (text: string): URL | null => {
  if (text.includes('*')) return null;
  if (/^(localhost|127\.\d+\.\d+\.\d+)(:\d+)?$/i.test(text)) return URL.parse(`http://${text}`);
  return URL.parse(/^[\w-]+(\.[\w-]+)+(:\d+)?$/.test(text) ? `https://${text}` : text);
};

/** Accepts an origin exactly as browsers send it: scheme, host, and a non-default port (RFC 6454, section 6.2). */
export const origin: Parse<string> = (text) => {
  const url = guessUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    return {
      fault: `contains ${quote(text)}, but must list origins such as https://example.org; wildcards and null are not allowed`,
    };
  }
  if (url.origin === text) return { value: text };
  return {
    fault: `contains ${quote(text)}, which is not an origin (scheme, host and port only); did you mean ${url.origin}?`,
  };
};
