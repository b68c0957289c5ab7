import { rateLimited, type UserId, unavailable } from '@chapter/domain/api';
import { LRUCache } from 'lru-cache';
import type { Endpoint } from './http-context.ts';

interface Deadline {
  readonly isPassed: () => boolean;
  /** Waits for some work until the deadline, then ignores its outcome. @throws DomainError `unavailable` then. */
  readonly limit: <T>(work: Promise<T>) => Promise<T>;
  /** Stops the clock while the client does its part, such as sending the body. */
  readonly pauseWhile: <T>(work: () => Promise<T>) => Promise<T>;
  readonly end: () => void;
}

/** Serves an endpoint within a deadline. */
export type ServeWithin = (deadline: Deadline, ...request: Parameters<Endpoint['serve']>) => Promise<void>;

/** Serves an endpoint, each request within `milliseconds`, apart from the time in which its body arrives. */
export const withinDeadline =
  (milliseconds: number, serve: ServeWithin): Endpoint['serve'] =>
  async (...request) => {
    const { promise: passed, reject } = Promise.withResolvers<never>();
    passed.catch(() => {});
    let left = milliseconds;
    let isPassed = false;
    let startedAt = 0;
    const start = (): NodeJS.Timeout => {
      startedAt = performance.now();
      return setTimeout(
        () => {
          isPassed = true;
          reject(unavailable());
        },
        Math.max(left, 0),
      );
    };
    let timer = start();
    const end = (): void => clearTimeout(timer);
    const pauseWhile: Deadline['pauseWhile'] = async (work) => {
      end();
      left -= performance.now() - startedAt;
      const result = await work();
      timer = start();
      return result;
    };
    const limit: Deadline['limit'] = (work) => Promise.race([work, passed]);
    try {
      await limit(serve({ isPassed: () => isPassed, limit, pauseWhile, end }, ...request));
    } finally {
      end();
    }
  };

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
