import type { Kind, World } from '../kinds.ts';
import { settled } from '../measure/measure.ts';
import { type RoundPorts, requestsOf } from '../rounds.ts';

/** Requests a second in one turn. */
export interface DepthTurn {
  /** For the first page. */
  readonly first: number;
  /** For one deep page. */
  readonly deep: number;
  /** For many pages at the beginning of the list, of which a processor keeps less at hand than of one. */
  readonly manyEarly: number;
  /** For as many deep pages. */
  readonly manyDeep: number;
}

/** What depth costs. */
export interface Depth {
  readonly turns: readonly DepthTurn[];
  /** How many pages are many. */
  readonly pages: number;
  /** Of all loads together. */
  readonly errors: number;
}

/** Each page follows each other one once, and has each place once: what one leaves behind favours none. */
const ORDERS: readonly (readonly (keyof DepthTurn)[])[] = [
  ['first', 'deep', 'manyDeep', 'manyEarly'],
  ['deep', 'manyEarly', 'first', 'manyDeep'],
  ['manyEarly', 'manyDeep', 'deep', 'first'],
  ['manyDeep', 'first', 'manyEarly', 'deep'],
];

const requestsFor = ({ first, deep }: Readonly<Record<'first' | 'deep', Kind>>, world: World) => {
  const { early, deep: cursors } = world.cursors;
  const at = (places: readonly string[]) => requestsOf(deep, { ...world, cursors: { early, deep: places } });
  const middle = Math.floor(cursors.length / 2);
  return {
    first: requestsOf(first, world),
    deep: at(cursors.slice(middle, middle + 1)),
    manyEarly: at(early),
    manyDeep: at(cursors),
  };
};

/**
 * Puts the greatest load on the service at a first page and at a deep one, and at many of either. All are so alike that
 * they take turns here, right after each other: what came in between would say more of the machine than of them.
 */
export const measureDepth = async (
  kinds: Readonly<Record<'first' | 'deep', Kind>>,
  turns: number,
  { generator, databasePid, vacuum, floor, service, world, connections, seconds, say }: RoundPorts,
): Promise<Depth> => {
  const requests = requestsFor(kinds, world);
  const found: DepthTurn[] = [];
  let errors = 0;
  await vacuum();
  // The first one warms up.
  for (let at = 0; at <= turns; at++) {
    const turn = { first: 0, deep: 0, manyEarly: 0, manyDeep: 0 };
    for (const page of ORDERS[at % ORDERS.length] ?? []) {
      await settled([floor.pid, service.pid, databasePid]);
      const plan = { requests: requests[page], connections, seconds, rate: null };
      const result = await generator.run({ ...plan, url: service.url });
      errors += result.errors;
      turn[page] = result.requests / result.seconds;
    }
    if (at > 0) found.push(turn);
    const rates = Object.entries(turn).map(([page, rate]) => `${page} ${rate.toFixed(0)}/s`);
    say(`depth, ${at === 0 ? 'warming up' : `turn ${at}`}: ${rates.join(', ')}`);
  }
  return { turns: found, pages: world.cursors.deep.length, errors };
};
