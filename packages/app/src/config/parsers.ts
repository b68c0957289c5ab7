import { isIP } from 'node:net';
import { splitHosts, TARGET_SESSION_ATTRS } from '@chapter/adapters-postgres/database-url';
import { didYouMean } from '../text/did-you-mean.ts';

/** A setting's value, or what is wrong with it as a part of a sentence that begins with the setting's name. */
type Parsed<T> = { readonly value: T } | { readonly fault: string };

/** Makes a value of a setting's text, which is never empty. */
export type Parse<T> = (text: string) => Parsed<T>;

const quote = (text: string): string => JSON.stringify(text);

/** One of a few words, exactly as they are written. */
export const oneOf =
  <T extends string>(words: readonly T[]): Parse<T> =>
  (text) => {
    const value = words.find((word) => word === text);
    if (value !== undefined) return { value };
    const choice = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
    return { fault: `must be ${choice}, and is ${quote(text)}${didYouMean(text, words)}` };
  };

/** True or false. */
export const flag: Parse<boolean> = (text) => {
  const parsed = oneOf(['true', 'false'])(text);
  return 'fault' in parsed ? parsed : { value: parsed.value === 'true' };
};

/** A whole number in decimal digits, both bounds included. */
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return { value };
    return { fault: `must be a whole number from ${min} to ${max}, and is ${quote(text)}` };
  };

/** Either what the parser takes, or the word `off`, which gives null. */
export const orOff =
  <T>(parse: Parse<T>): Parse<T | null> =>
  (text) => {
    if (text === 'off') return { value: null };
    const parsed = parse(text);
    return 'fault' in parsed ? { fault: `${parsed.fault} (or off)` } : parsed;
  };

/** An IPv4 or IPv6 address. */
export const address: Parse<string> = (text) =>
  isIP(text) > 0 ? { value: text } : { fault: `must be an IPv4 or IPv6 address, and is ${quote(text)}` };

/** An address or a name to listen on. */
export const host: Parse<string> = (text) =>
  isIP(text) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)
    ? { value: text }
    : { fault: `must be an address or a host name, and is ${quote(text)}` };

/** Text without white space and invisible characters. */
export const visible: Parse<string> = (text) =>
  /^[\x21-\x7e]{1,255}$/.test(text) ? { value: text } : { fault: 'must be 1 to 255 visible ASCII characters' };

/** A path of the file system; what is not absolute starts from the working directory. */
export const path: Parse<string> = (text) =>
  text.includes('\0') ? { fault: 'must be a path of the file system' } : { value: text };

const port = integer(1, 65_535);

/** A time limit of PostgreSQL. */
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
  // The driver prefers a parameter of that name to the port of the host.
  [url.port, ...url.searchParams.getAll('port')].every((given) => given === '' || 'value' in port(given));

/** A PostgreSQL URL that the driver can use, with one or several hosts. Faults show nothing of it: it may hold a password. */
export const postgresUrl: Parse<string> = (text) => {
  const urls = splitHosts(text).map((url) => (/^postgres(ql)?:\/\//.test(url) ? URL.parse(url) : null));
  const [first] = urls;
  const isWhole = urls.every((url) => isUsable(url) && (urls.length === 1 || url.hostname !== ''));
  if (!first || !isWhole) {
    return { fault: 'must be a URL such as postgresql://user:password@host:5432/database, its port from 1 to 65535' };
  }
  if (first.searchParams.get('host')?.includes(',') || (urls.length > 1 && first.searchParams.has('host'))) {
    return {
      fault: 'must list its hosts before the database (postgresql://host1:5432,host2:5432/database), not as host=',
    };
  }
  const attrs = oneOf(TARGET_SESSION_ATTRS)(first.searchParams.get('target_session_attrs') ?? 'primary');
  if ('fault' in attrs) return { fault: `has a target_session_attrs that ${attrs.fault}` };
  for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
    const timeout = milliseconds(first.searchParams.get(name) ?? '0');
    if ('fault' in timeout) return { fault: `has a ${name} (milliseconds) that ${timeout.fault}` };
  }
  return { value: text };
};

/** Several values with commas between them, without duplicates; all that are wrong are reported. */
export const listOf =
  <T>(parse: Parse<T>): Parse<readonly T[]> =>
  (text) => {
    const items = text.split(',').map((item) => item.trim());
    const parsed = items.map((item) => (item ? parse(item) : { fault: 'has an empty item' }));
    const faults = parsed.flatMap((item) => ('fault' in item ? [item.fault] : []));
    if (faults.length > 0) return { fault: [...new Set(faults)].join('; ') };
    return { value: [...new Set(parsed.flatMap((item) => ('value' in item ? [item.value] : [])))] };
  };

/**
 * An http or https URL that paths can be appended to. Its trailing slashes are removed. Faults do not repeat it, because it
 * may hold a password.
 */
export const httpUrl: Parse<string> = (text) => {
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return { fault: 'must be an http or https URL such as https://example.org' };
  if (url.username || url.password || /[?#]/.test(text)) {
    return { fault: 'must have no user, password, query or fragment' };
  }
  return { value: url.href.replace(/\/+$/, '') };
};

/** A URL where the text is one, or is one but for the scheme; that of what does not run here is HTTPS. */
const urlMeant = (text: string): URL | null => {
  if (text.includes('*')) return null;
  if (/^(localhost|127\.\d+\.\d+\.\d+)(:\d+)?$/i.test(text)) return URL.parse(`http://${text}`);
  return URL.parse(/^[\w-]+(\.[\w-]+)+(:\d+)?$/.test(text) ? `https://${text}` : text);
};

/** An origin exactly as browsers send it: scheme, host, and port where it is not the scheme's own (RFC 6454, section 6.2). */
export const origin: Parse<string> = (text) => {
  const url = urlMeant(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    return { fault: `has ${quote(text)}, but takes origins such as https://example.org only: no wildcard, no null` };
  }
  if (url.origin === text) return { value: text };
  return { fault: `has ${quote(text)}, which is no origin (scheme, host and port only); did you mean ${url.origin}?` };
};
