import { rateLimited, type UserId } from '@chapter/domain/api';
import { LRUCache } from 'lru-cache';

const HOUR_MS = 3_600_000;

/** How many callers are counted at once; the one that changed nothing for longest is forgotten. */
const MAX_CALLERS = 10_000;

/**
 * Counts one request of a caller that may change something. The hour begins with the first.
 *
 * @throws DomainError `rate_limited` beyond the quota.
 */
export type CountChange = (caller: UserId) => void;

/** Makes the quota of changes in an hour, per caller and process; 0 for none. Contract §7. */
export const makeChangeQuota = (perHour: number, now = () => performance.now()): CountChange => {
  const counted = new LRUCache<UserId, { changes: number }>({
    max: MAX_CALLERS,
    ttl: HOUR_MS,
    ttlResolution: 0,
    perf: { now },
  });
  return (caller) => {
    if (perHour === 0) return;
    const counts = counted.get(caller) ?? { changes: 0 };
    if (counts.changes === 0) counted.set(caller, counts);
    if (counts.changes === perHour) {
      const seconds = Math.ceil(counted.getRemainingTTL(caller) / 1000);
      throw rateLimited(seconds, `you may make at most ${perHour} changes per hour; continue later`);
    }
    counts.changes += 1;
  };
};
