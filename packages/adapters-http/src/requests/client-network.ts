import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

const PORT_OF_IPV4 = /^([0-9.]+):\d+$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;

const parse = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const bare = PORT_OF_IPV4.exec(text)?.[1] ?? IN_BRACKETS.exec(text)?.[1] ?? text;
  // "Four parts" keeps out the old forms (`1`, `0x7f.1`) that the parser knows too.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  // `process` makes an IPv4 address of one that is mapped into IPv6.
  return ipaddr.process(bare);
};

// Every request needs the network of its client, and most clients send many requests.
const known = new LRUCache<string, string>({ max: 10_000 });
const LONGEST_ADDRESS = 64;

/** The network of an address: IPv4 /24, IPv6 /64, in text; undefined for what is no address. Contract, section 6. */
export const networkOf = (address: string): string | undefined => {
  if (address.length > LONGEST_ADDRESS) return undefined;
  const cached = known.get(address);
  if (cached !== undefined) return cached;
  const network = computeNetwork(address.trim());
  if (network !== undefined) known.set(address, network);
  return network;
};

const computeNetwork = (address: string): string | undefined => {
  const parsed = parse(address);
  if (!parsed) return undefined;
  const [bits, network] =
    parsed.kind() === 'ipv4'
      ? [24, ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`)]
      : [64, ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(parsed).toString()}/64`)];
  return `${network.toString()}/${bits}`;
};

const withoutZone = (address: ipaddr.IPv4 | ipaddr.IPv6) => new ipaddr.IPv6(address.toByteArray());

/**
 * The client's network. Each trusted proxy in front adds, at the right of `X-Forwarded-For`, the address that reached it;
 * what stands further left was sent by the client and says nothing. `proxies` is how many there are.
 */
export const clientNetwork = (peer: string | undefined, forwarded: string | undefined, proxies: number): string => {
  const hops = proxies === 0 || forwarded === undefined ? [] : forwarded.split(',');
  const client = hops.at(-Math.min(proxies, hops.length)) ?? '';
  return (hops.length > 0 ? networkOf(client) : undefined) ?? networkOf(peer ?? '') ?? 'unknown';
};
