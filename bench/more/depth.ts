import type { Kind, World } from '../kinds.ts';
import { type Measurement, measure } from '../measure/measure.ts';
import { type RoundPorts, requestsOf, shownRate } from '../rounds.ts';

/**
 * What was measured in one turn: at the first page, at one deep page, at many pages at the beginning of the list, of
 * which a processor keeps less at hand than of one, and at as many deep pages.
 */
export type DepthTurn = Readonly<Record<'first' | 'deep' | 'manyEarly' | 'manyDeep', Measurement>>;

/** What depth costs. */
export interface Depth {
  readonly turns: readonly DepthTurn[];
  /** Of one load. */
  readonly seconds: number;
  /** How many pages are many. */
  readonly pages: number;
}

/** Each page follows each other one once, and has each place once: what one leaves behind favours none. */
const ORDERS: readonly (readonly (keyof DepthTurn)[])[] = [
  ['first', 'deep', 'manyDeep', 'manyEarly'],
  ['deep', 'manyEarly', 'first', 'manyDeep'],
  ['manyEarly', 'manyDeep', 'deep', 'first'],
  ['manyDeep', 'first', 'manyEarly', 'deep'],
];

/** Seconds of one load, at most: the shorter, the closer the pages that are compared are to each other. */
const LONGEST = 1;

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
  const length = Math.min(LONGEST, seconds);
  const at = (page: keyof DepthTurn) => {
    const plan = { requests: requests[page], connections, seconds: length, rate: null };
    return measure(generator, service, databasePid, plan, [floor.pid, service.pid]);
  };
  const found: DepthTurn[] = [];
  await vacuum();
  // The first one warms up.
  for (let turn = 0; turn <= turns; turn++) {
    const measured: Partial<Record<keyof DepthTurn, Measurement>> = {};
    for (const page of ORDERS[turn % ORDERS.length] ?? []) measured[page] = await at(page);
    if (turn > 0) found.push(measured as DepthTurn);
    const rates = Object.entries(measured).map(([page, one]) => `${page} ${shownRate(one)}`);
    say(`depth, ${turn === 0 ? 'warming up' : `turn ${turn}`}: ${rates.join(', ')}`);
  }
  return { turns: found, seconds: length, pages: world.cursors.deep.length };
};
