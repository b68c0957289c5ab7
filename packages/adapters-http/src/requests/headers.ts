import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DomainError, invalidToken, type Revision } from '@chapter/domain/api';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type WireFault, wireFault } from '../errors/faults.ts';
import { JSON_TYPE } from './read-json.ts';

/** Returns the value of a header. Repeated header lines are joined with commas. RFC 9110, section 5.3. */
export const header = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** The format of a request id that a client may send. Contract §1. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the request id that the client sent if it is safe to log, else a new one (contract §1). */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();

const SCHEME = /^bearer(?: |$)/i;
// RFC 6750, section 2.1: b64token. The maximum length limits the work that a forged token causes.
const BEARER_CREDENTIALS = /^bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/** The request has no bearer token. */
export const authenticationRequired = (): DomainError =>
  new DomainError('authentication_required', 'send an access token as `Authorization: Bearer …`');

/**
 * Returns the access token of an `Authorization` header.
 *
 * @throws DomainError `authentication_required` without a bearer token, `invalid_token` for a malformed one.
 */
export const bearerToken = (authorization: string | undefined): string => {
  const token = authorization === undefined ? undefined : BEARER_CREDENTIALS.exec(authorization)?.[1];
  if (token !== undefined) return token;
  if (authorization !== undefined && SCHEME.test(authorization)) throw invalidToken();
  throw authenticationRequired();
};

/** The header with which repeated requests create only one resource (contract §7). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The format of an idempotency key: 1 to 255 visible ASCII characters. */
export const KEY_FORMAT = /^[\x21-\x7e]{1,255}$/;

/** Returns the faults of an idempotency key. An absent key has none. */
export const idempotencyKeyFaults = (key: string | undefined): readonly WireFault[] =>
  key === undefined || KEY_FORMAT.test(key)
    ? []
    : [wireFault(IDEMPOTENCY_KEY, 'invalid_format', 'must be 1 to 255 visible ASCII characters')];

// RFC 9110, section 8.8.3: entity-tag, followed by a comma or the end.
const TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)|[ \t]*,/y;

/** Returns the elements of a list by a sticky expression for the next one, or null if the list is malformed. */
const elementsOf = (list: string, next: RegExp): readonly RegExpExecArray[] | null => {
  const elements: RegExpExecArray[] = [];
  next.lastIndex = 0;
  while (next.lastIndex < list.length) {
    const match = next.exec(list);
    if (!match) return null;
    elements.push(match);
  }
  return elements;
};

/** Returns the entity tags of a list, or null if it is malformed. */
const parseTags = (list: string) =>
  elementsOf(list, TAG)?.flatMap(([, weak, opaque]) =>
    opaque === undefined ? [] : [{ weak: weak !== undefined, opaque }],
  );

/** Returns a revision as a strong entity tag. RFC 9110, section 8.8.3. */
export const entityTag = (revision: Revision): string => `"${revision}"`;

/**
 * Returns the revisions that an `If-Match` accepts, or undefined if it accepts any. Weak tags never match. A malformed
 * list matches nothing, because ignoring a precondition is not safe. RFC 9110, section 13.1.1.
 */
export const revisionsOf = (ifMatch: string | undefined): readonly Revision[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return (parseTags(ifMatch) ?? []).filter(({ weak }) => !weak).map(({ opaque }) => opaque);
};

/** Whether an `If-None-Match` contains the tag (weak comparison). RFC 9110, section 13.1.2. */
export const isNotModified = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return parseTags(ifNoneMatch)?.some(({ opaque }) => `"${opaque}"` === etag) ?? false;
};

const IPV4_WITH_PORT = /^([0-9.]+):\d+$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;

const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const bare = IPV4_WITH_PORT.exec(text)?.[1] ?? IN_BRACKETS.exec(text)?.[1] ?? text;
  // The parser also accepts legacy forms (`1`, `0x7f.1`); the four-part check rejects them.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  // `process` converts an IPv4-mapped IPv6 address to IPv4.
  return ipaddr.process(bare);
};

// Each request needs the network of its client, and most clients send many requests.
const networkCache = new LRUCache<string, string>({ max: 10_000 });
const MAX_ADDRESS_LENGTH = 64;

/** Returns the network of an address (IPv4 /24, IPv6 /64), or undefined if the address is invalid (contract §6). */
export const networkOf = (address: string): string | undefined => {
  if (address.length > MAX_ADDRESS_LENGTH) return undefined;
  const cached = networkCache.get(address);
  if (cached !== undefined) return cached;
  const network = computeNetwork(address.trim());
  if (network !== undefined) networkCache.set(address, network);
  return network;
};

const computeNetwork = (address: string): string | undefined => {
  const parsed = parseAddress(address);
  if (!parsed) return undefined;
  const [bits, network] =
    parsed.kind() === 'ipv4'
      ? [24, ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`)]
      : [64, ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(parsed).toString()}/64`)];
  return `${network.toString()}/${bits}`;
};

const withoutZone = (address: ipaddr.IPv4 | ipaddr.IPv6) => new ipaddr.IPv6(address.toByteArray());

/**
 * Returns the client's network. `proxies` is the number of trusted proxies. Each appends the address that connected to
 * it to `X-Forwarded-For`. Entries further left come from the client and are not trusted.
 */
export const clientNetwork = (peer: string | undefined, forwarded: string | undefined, proxies: number): string => {
  const hops = proxies === 0 || forwarded === undefined ? [] : forwarded.split(',');
  const client = hops.at(-Math.min(proxies, hops.length)) ?? '';
  return (hops.length > 0 ? networkOf(client) : undefined) ?? networkOf(peer ?? '') ?? 'unknown';
};

/** The media type of an exported list. */
export const CSV_TYPE = 'text/csv';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const VALUE = `(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;

// RFC 9110, section 12.5.1: a media range with parameters, followed by a comma or the end.
const RANGE = new RegExp(
  `[ \\t]*(${TOKEN}/${TOKEN})((?:[ \\t]*;(?:[ \\t]*${TOKEN}=${VALUE})?)*)[ \\t]*(?:,|$)|[ \\t]*,`,
  'y',
);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})=(${VALUE})`, 'g');
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Returns the quality among the parameters of a media range: 1 by default, undefined if it is malformed. */
const qualityOf = (parameters: string): number | undefined => {
  for (const [, name, value = ''] of parameters.matchAll(PARAMETER)) {
    if (name === 'q' || name === 'Q') return QUALITY.test(value) ? Number(value) : undefined;
  }
  return 1;
};

/** Returns the highest quality of each media range in lower case, or null for a malformed header. */
const qualitiesOf = (accept: string): ReadonlyMap<string, number> | null => {
  const ranges = elementsOf(accept, RANGE);
  if (!ranges) return null;
  const qualities = new Map<string, number>();
  for (const [, range, parameters = ''] of ranges) {
    if (range === undefined) continue;
    const quality = qualityOf(parameters);
    if (quality === undefined) return null;
    const name = range.toLowerCase();
    qualities.set(name, Math.max(quality, qualities.get(name) ?? 0));
  }
  return qualities;
};

/**
 * Returns whether an `Accept` header names `text/csv` with a higher quality than JSON has. A wildcard applies to JSON
 * only. A malformed header means JSON (contract §11).
 */
export const prefersCsv = (accept: string): boolean => {
  const qualities = qualitiesOf(accept);
  if (!qualities) return false;
  const json = qualities.get(JSON_TYPE) ?? qualities.get('application/*') ?? qualities.get('*/*') ?? 0;
  return (qualities.get(CSV_TYPE) ?? 0) > json;
};
