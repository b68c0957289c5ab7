import { unavailable } from '@chapter/domain/api';
import type { Endpoint } from './http-context.ts';

/** The time that the service has for one request. */
interface Deadline {
  readonly isPassed: () => boolean;
  /** Waits for some work until the deadline. @throws DomainError `unavailable` then. The outcome of the work is ignored. */
  readonly limit: <T>(work: Promise<T>) => Promise<T>;
  /** Stops the clock while the client does its part, such as sending the body. */
  readonly pauseWhile: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the limit. */
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
