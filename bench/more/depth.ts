import type { Kind, World } from '../kinds.ts';
import type { LoadGenerator } from '../load/load.ts';
import type { RunningServer } from '../measure/server.ts';
import { requestsOf } from '../rounds.ts';

/** What a deep page costs beside the first one of the same list. */
export interface Depth {
  /** Requests a second for the first page and for the deep one, turn by turn. */
  readonly turns: readonly { readonly first: number; readonly deep: number }[];
  readonly errors: number;
}

/**
 * Puts the greatest load on the service at one page and right then at the other. The two are so alike that what comes in
 * between, or a few turns, would say more of the machine than of them.
 */
export const measureDepth = async (
  pages: Readonly<Record<'first' | 'deep', Kind>>,
  world: World,
  generator: LoadGenerator,
  { url }: RunningServer,
  { turns, ...load }: { readonly connections: number; readonly seconds: number; readonly turns: number },
): Promise<Depth> => {
  const requests = { first: requestsOf(pages.first, world), deep: requestsOf(pages.deep, world) };
  let errors = 0;
  const rateOf = async (page: keyof typeof pages): Promise<number> => {
    const result = await generator.run({ ...load, requests: requests[page], url, rate: null });
    errors += result.errors;
    return result.requests / result.seconds;
  };
  const found = [];
  for (let turn = 0; turn < turns; turn++) {
    // Who is first changes with every turn.
    const before = turn % 2 === 0 ? await rateOf('first') : undefined;
    const deep = await rateOf('deep');
    found.push({ first: before ?? (await rateOf('first')), deep });
  }
  return { turns: found, errors };
};
