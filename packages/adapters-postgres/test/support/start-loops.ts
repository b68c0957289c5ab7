import { DomainError } from '@chapter/domain';

/** Concurrent loops that write until they are stopped. */
export interface Loops {
  /** Returns the number of successful writes. */
  readonly writes: () => number;
  /** Resolves after `count` more writes. Rejects if a loop fails. */
  readonly untilWrites: (count: number) => Promise<void>;
  /** Stops the loops and waits for them. @throws the error of a loop that failed. */
  readonly stop: () => Promise<void>;
}

const isRefusal = (error: unknown): boolean => error instanceof DomainError && error.code === 'forbidden';

/** Starts loops that call `write` with their index and a counter. A `forbidden` write is retried. */
export const startLoops = (count: number, write: (at: number, time: number) => Promise<unknown>): Loops => {
  const stopping = new AbortController();
  let writes = 0;
  let waiting: { readonly target: number; readonly resolve: () => void } | undefined;
  const loop = async (at: number): Promise<void> => {
    for (let time = 0; !stopping.signal.aborted; time++) {
      const succeeded = await write(at, time).then(
        () => true,
        (error: unknown) => (isRefusal(error) ? false : Promise.reject(error)),
      );
      if (!succeeded) continue;
      writes += 1;
      if (waiting && writes >= waiting.target) waiting.resolve();
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, at) => loop(at)));
  running.catch(() => {});
  return {
    writes: () => writes,
    untilWrites: async (more) => {
      const reached = new Promise<void>((resolve) => {
        waiting = { target: writes + more, resolve };
      });
      await Promise.race([reached, running]);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
