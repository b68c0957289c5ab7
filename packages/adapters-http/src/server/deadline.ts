import { unavailable } from '@chapter/domain';
import type { Endpoint } from './http-context.ts';

/** The time that the service has for one request. */
interface Deadline {
  readonly isPassed: () => boolean;
  /** Waits for some work until the deadline. @throws DomainError `unavailable` then. The work goes on, but its outcome is ignored. */
  readonly limit: <T>(work: Promise<T>) => Promise<T>;
  /** Stops the clock while the client does its part, such as sending the body. */
  readonly pauseWhile: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the limit. */
  readonly end: () => void;
}

/** Starts the time of a request. */
const startDeadline = (milliseconds: number): Deadline => {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  let isPassed = false;
  const pass = (): void => {
    isPassed = true;
    reject(unavailable());
  };
  let left = milliseconds;
  let startedAt = performance.now();
  let timer = setTimeout(pass, left);
  return {
    isPassed: () => isPassed,
    limit: (work) => Promise.race([work, promise]),
    pauseWhile: async (work) => {
      clearTimeout(timer);
      left -= performance.now() - startedAt;
      try {
        return await work();
      } finally {
        startedAt = performance.now();
        timer = setTimeout(pass, Math.max(left, 0));
      }
    },
    end: () => clearTimeout(timer),
  };
};

/** Serves an endpoint within a deadline. */
export type ServeWithin = (deadline: Deadline, ...request: Parameters<Endpoint['serve']>) => Promise<void>;

/** Serves an endpoint, each request within `milliseconds`, apart from the time in which its body arrives. */
export const withinDeadline =
  (milliseconds: number, serve: ServeWithin): Endpoint['serve'] =>
  async (...request) => {
    const deadline = startDeadline(milliseconds);
    try {
      await serve(deadline, ...request);
    } finally {
      deadline.end();
    }
  };
