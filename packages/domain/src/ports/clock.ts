import type { Instant } from '../model/user.ts';

/** Tells the time. */
export interface Clock {
  now(): Instant;
}
