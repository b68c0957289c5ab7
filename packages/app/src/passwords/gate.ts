import { unavailable } from '@chapter/domain';

/** Lets only so many calls run at once, in the order in which they came. */
export interface Gate {
  <T>(work: () => Promise<T>): Promise<T>;
  /** Whether a call would be turned away now. */
  readonly isFull: () => boolean;
}

/**
 * A gate for `atOnce` calls, with a queue for `waiting` more.
 *
 * @throws DomainError `unavailable`, at once, from the calls that find the queue full.
 */
export const makeGate = ({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }): Gate => {
  const queue: (() => void)[] = [];
  let running = 0;
  const gate = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1;
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve));
    else throw unavailable();
    try {
      return await work();
    } finally {
      // The one that waits takes over the place, so that nobody who comes meanwhile gets it.
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return Object.assign(gate, { isFull: () => running >= atOnce && queue.length >= waiting });
};
