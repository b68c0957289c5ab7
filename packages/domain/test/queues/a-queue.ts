import { setImmediate as tick } from 'node:timers/promises';
import { DomainError, type FairQueueLimits, makeFairQueue, type Share } from '@chapter/domain/ports';
import { makeFakeTimers } from '../../../../test-support/fake-timers.ts';

/** Makes a queue with functions that start and end calls, and the names of the calls in the order in which they began. */
export const makeQueue = (limits: Partial<FairQueueLimits> = {}) => {
  const timers = makeFakeTimers();
  const queue = makeFairQueue({ maxRunning: 1, maxWaiting: 100, ...limits }, timers);
  const begun: string[] = [];
  const running: (() => void)[] = [];
  const call = (share: Share | string, options = {}, name = [share].flat().join(' ')) =>
    queue.run(
      typeof share === 'string' ? [share] : share,
      () => {
        begun.push(name);
        return new Promise<void>((resolve) => running.push(resolve));
      },
      options,
    );
  /** Ends the oldest running call, again and again until none is left, or `count` times. */
  const serve = async (count = Number.POSITIVE_INFINITY): Promise<string[]> => {
    const before = begun.length;
    for (let ended = 0; ended < count && running.length > 0; ended++) {
      running.shift()?.();
      await tick();
    }
    return begun.slice(before);
  };
  /** Ends all calls, and waits for the given ones. */
  const finish = async (calls: readonly Promise<unknown>[]): Promise<void> => {
    await serve();
    await Promise.all(calls);
  };
  return { queue, timers, begun, call, serve, finish };
};

/** Returns the code and the delay of a refusal; `none` if the call succeeds. */
export const refusalOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'none',
    (error: unknown) => (error instanceof DomainError ? `${error.code} ${error.retryAfter}` : error),
  );

/** Makes a number of values. */
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
