import { type HashRequest, unavailable } from '@chapter/domain';

/** Maximum time in milliseconds that a call waits for its turn. */
export const MAX_QUEUE_MS = 3000;

/** Limits how many calls run at once. The others wait in a first-in, first-out queue. */
export interface Gate {
  /**
   * Runs `work` when its turn comes. A request that has had a turn before is a continuation: it precedes all other calls and
   * ignores the queue's limit, because a refusal would waste its earlier hash.
   *
   * @throws DomainError `unavailable`: at once if the queue is full, after the maximum wait, and at its turn if the
   *   request is abandoned. `work` does not run then.
   */
  <T>(work: () => Promise<T>, request?: HashRequest): Promise<T>;
  /** Returns whether a new call, unless it is a continuation, would be refused now. */
  readonly isFull: () => boolean;
}

/** The limits of a gate. */
export interface GateSettings {
  /** Maximum number of calls that run at once. */
  readonly maxRunning: number;
  /** Maximum number of calls that wait, not counting continuations. */
  readonly maxWaiting: number;
  /** Maximum time in milliseconds that a call waits. */
  readonly maxQueueMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Number of recent calls whose durations are used to estimate the next ones. */
const LATEST_CALLS = 4;

/**
 * Makes a gate. Its queue also counts as full when its calls would take longer than the maximum wait. The estimate uses the
 * shortest of the recent durations, so that a short delay of the whole machine does not make the queue count as full.
 */
export const makeGate = ({
  maxRunning,
  maxWaiting,
  maxQueueMs = MAX_QUEUE_MS,
  now = () => performance.now(),
}: GateSettings): Gate => {
  const continuations: (() => void)[] = [];
  const queue: (() => void)[] = [];
  let running = 0;
  const durations = Array.from({ length: LATEST_CALLS }, () => 0);
  const isFull = (): boolean =>
    running >= maxRunning &&
    (queue.length >= maxWaiting || (queue.length * Math.min(...durations)) / maxRunning > maxQueueMs);

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

  const measureDuration = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = now();
    const result = await work();
    durations.shift();
    durations.push(now() - began);
    return result;
  };

  const gate = async <T>(work: () => Promise<T>, { isAbandoned, isContinuation }: HashRequest = {}): Promise<T> => {
    if (running < maxRunning) running += 1;
    else if (isContinuation) await waitIn(continuations);
    else if (isFull()) throw unavailable();
    else await waitIn(queue);
    try {
      if (isAbandoned?.()) throw unavailable();
      return await measureDuration(work);
    } finally {
      // Starting the next call directly prevents a new call from taking its turn.
      const next = continuations.shift() ?? queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return Object.assign(gate, { isFull });
};
