import type { Clock, IdGenerator, Timers } from '@chapter/domain/ports';
import { v7 } from 'uuid';

const makeSystemClock = (): Clock => {
  let milliseconds = 0;
  let instant = '';
  return {
    now: () => {
      const current = Date.now();
      // Each request reads the clock, and formatting takes longer than reading.
      if (current !== milliseconds) {
        milliseconds = current;
        instant = new Date(current).toISOString();
      }
      return instant;
    },
  };
};

/** Reads the clock of this machine, in UTC with milliseconds. */
export const systemClock: Clock = makeSystemClock();

/** Measures and waits for durations on this machine. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  start: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Generates UUIDs of version 7, in ascending order even within a millisecond and after the clock is set back. */
export const uuidIds: IdGenerator = { next: () => v7() };
