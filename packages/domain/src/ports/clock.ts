import type { Instant } from '../user.ts';

/** Tells the time. */
export interface Clock {
  now(): Instant;
}
