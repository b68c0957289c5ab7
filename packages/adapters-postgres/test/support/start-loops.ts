import { DomainError } from '@chapter/domain';

/** Loops that write until they are stopped. */
export interface Loops {
  /** How many writes have succeeded. */
  readonly writes: () => number;
  /** Resolves after `count` more writes, and rejects when a loop has failed. */
  readonly untilWrites: (count: number) => Promise<void>;
  /** @throws what a loop has failed with. */
  readonly stop: () => Promise<void>;
}

const isRefusal = (error: unknown): boolean => error instanceof DomainError && error.code === 'forbidden';

/** Starts loops that call `write` with their index and a count; a write that is `forbidden` is tried again. */
export const startLoops = (count: number, write: (at: number, time: number) => Promise<unknown>): Loops => {
  const stopping = new AbortController();
  let writes = 0;
  let waiting: { readonly from: number; readonly resolve: () => void } | undefined;
  const loop = async (at: number): Promise<void> => {
    for (let time = 0; !stopping.signal.aborted; time++) {
      const succeeded = await write(at, time).then(
        () => true,
        (error: unknown) => (isRefusal(error) ? false : Promise.reject(error)),
      );
      if (!succeeded) continue;
      writes += 1;
      if (waiting && writes >= waiting.from) waiting.resolve();
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, at) => loop(at)));
  running.catch(() => {});
  return {
    writes: () => writes,
    untilWrites: async (more) => {
      const reached = new Promise<void>((resolve) => {
        waiting = { from: writes + more, resolve };
      });
      await Promise.race([reached, running]);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
