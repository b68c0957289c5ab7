import type { ChangePosition } from '../../../packages/domain/src/ports/index.ts';
import { Difference, requireSame } from './difference.ts';
import type { SimulatedWorld } from './world.ts';

const PAGE_SIZE = 2;
const MAX_ENTRIES = 500;
/** On PostgreSQL, other histories on the same server delay the feed until their transactions end. */
const MAX_POLLS = 1000;

/** Clients that follow the feeds of divisions. */
export interface Feeds {
  /** Reads what the feeds deliver now. */
  readonly poll: () => Promise<void>;
  /** Compares what they delivered with the audit trail. @throws Difference. */
  readonly requireAll: () => Promise<void>;
}

/** Makes a client for the feed of each division. */
export const followFeeds = ({ audit, changes }: SimulatedWorld, divisionIds: readonly string[]): Feeds => {
  const feeds = divisionIds.map((divisionId) => ({
    divisionId,
    after: '' as ChangePosition,
    delivered: [] as string[],
  }));
  const poll = async (): Promise<void> => {
    for (const feed of feeds) {
      for (let hasMore = true; hasMore; ) {
        const query = { side: 'after', position: feed.after, size: PAGE_SIZE } as const;
        const page = await changes.list(feed.divisionId, query);
        if (!page) throw new Difference('the position that a feed returned does not exist');
        feed.delivered.push(...page.entries.map(({ id }) => id));
        feed.after = page.after;
        hasMore = page.next !== null;
      }
    }
  };
  return {
    poll,
    requireAll: async () => {
      for (const feed of feeds) {
        const entries = await audit.list({ divisionId: feed.divisionId, limit: MAX_ENTRIES });
        for (let left = MAX_POLLS; left > 0 && feed.delivered.length < entries.length; left -= 1) await poll();
        const ids = entries.map(({ id }) => id).toSorted();
        requireSame('the entries that a feed delivered', feed.delivered.toSorted(), ids);
      }
    },
  };
};
