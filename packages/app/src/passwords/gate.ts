import { type HashRequest, unavailable } from '@chapter/domain';

/** Milliseconds that a call waits for its turn at most. */
export const MAX_QUEUE_MS = 3000;

/** Lets a limited number of calls run at once, in the order in which they came. */
export interface Gate {
  /**
   * Runs `work` when its turn comes. The call of a continuation goes before all others and ignores the length of the
   * queue: its request has waited already, and what was computed for it would be lost.
   *
   * @throws DomainError `unavailable`: at once when the queue is full, after the longest wait when the turn has not come,
   *   and at its turn when the request is abandoned; `work` does not run then.
   */
  <T>(work: () => Promise<T>, request?: HashRequest): Promise<T>;
  /** Whether a call that is no continuation would be refused now. */
  readonly isFull: () => boolean;
}

/** How a gate is set up. */
export interface GateSettings {
  /** Calls that run at once. */
  readonly atOnce: number;
  /** Calls that wait, continuations aside. */
  readonly waiting: number;
  /** Milliseconds that a call waits at most. */
  readonly maxQueueMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Calls whose durations tell how long the next ones take. */
const LATEST_CALLS = 4;

/**
 * Makes a gate. Its queue is also full when the calls in it would outlast the longest wait, each at the shortest of the
 * latest durations: the shortest, so that one stall of the machine does not close the queue.
 */
export const makeGate = ({
  atOnce,
  waiting,
  maxQueueMs = MAX_QUEUE_MS,
  now = () => performance.now(),
}: GateSettings): Gate => {
  const continuations: (() => void)[] = [];
  const queue: (() => void)[] = [];
  let running = 0;
  const durations = Array.from({ length: LATEST_CALLS }, () => 0);
  const isFull = (): boolean =>
    running >= atOnce && (queue.length >= waiting || (queue.length * Math.min(...durations)) / atOnce > maxQueueMs);

  const waitIn = (line: (() => void)[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(begin), 1);
        reject(unavailable());
      }, maxQueueMs);
      line.push(begin);
    });

  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = now();
    const result = await work();
    durations.shift();
    durations.push(now() - began);
    return result;
  };

  const gate = async <T>(work: () => Promise<T>, { isAbandoned, isContinuation }: HashRequest = {}): Promise<T> => {
    if (running < atOnce) running += 1;
    else if (isContinuation) await waitIn(continuations);
    else if (isFull()) throw unavailable();
    else await waitIn(queue);
    try {
      if (isAbandoned?.()) throw unavailable();
      return await timed(work);
    } finally {
      // Hand the place over directly, so that a call that comes meanwhile cannot take it.
      const next = continuations.shift() ?? queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return Object.assign(gate, { isFull });
};
