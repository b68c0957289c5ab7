import type { Instant } from '../../model/user.ts';
import type { Clock } from '../../ports/system.ts';

/** A clock that stands still until a test moves it. */
export interface SettableClock extends Clock {
  /** Sets the time, forwards or backwards. */
  set(now: Instant): void;
  /** Advances the time by a number of seconds, rounded to milliseconds. */
  advance(seconds: number): void;
}

/** Returns a clock that stands at the given instant. */
export const makeSettableClock = (start: Instant = '2026-01-15T12:00:00.000Z'): SettableClock => {
  let now = start;
  return {
    now: () => now,
    set: (instant) => {
      now = instant;
    },
    advance: (seconds) => {
      now = new Date(Date.parse(now) + Math.round(seconds * 1000)).toISOString();
    },
  };
};
