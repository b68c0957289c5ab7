import type { Kind, World } from '../kinds.ts';
import type { LoadGenerator } from '../load/load.ts';
import type { RunningServer } from '../measure/server.ts';
import { requestsOf } from '../rounds.ts';

/** Requests a second in one turn. */
export interface DepthTurn {
  /** For the first page. */
  readonly first: number;
  /** For one deep page. */
  readonly deep: number;
  /** For all the deep pages there are, one after the other: of many pages a processor keeps less at hand than of one. */
  readonly many: number;
}

/** What depth costs: a deep page beside the first one of the same list. */
export interface Depth {
  readonly turns: readonly DepthTurn[];
  /** How many deep pages are many. */
  readonly pages: number;
  readonly errors: number;
}

const ORDERS: readonly (readonly (keyof DepthTurn)[])[] = [
  ['first', 'deep', 'many'],
  ['many', 'first', 'deep'],
  ['deep', 'many', 'first'],
];

/**
 * Puts the greatest load on the service at one page and right then at the others. They are so alike that what comes in
 * between, or a few turns, would say more of the machine than of them.
 */
export const measureDepth = async (
  kinds: Readonly<Record<'first' | 'deep', Kind>>,
  world: World,
  generator: LoadGenerator,
  { url }: RunningServer,
  { turns, ...load }: { readonly connections: number; readonly seconds: number; readonly turns: number },
): Promise<Depth> => {
  const requests = {
    first: requestsOf(kinds.first, world),
    deep: requestsOf(kinds.deep, { ...world, cursors: world.cursors.slice(0, 1) }),
    many: requestsOf(kinds.deep, world),
  };
  const found: DepthTurn[] = [];
  let errors = 0;
  for (let at = 0; at < turns; at++) {
    const turn = { first: 0, deep: 0, many: 0 };
    for (const page of ORDERS[at % ORDERS.length] ?? []) {
      const result = await generator.run({ ...load, requests: requests[page], url, rate: null });
      errors += result.errors;
      turn[page] = result.requests / result.seconds;
    }
    found.push(turn);
  }
  return { turns: found, pages: world.cursors.length, errors };
};
