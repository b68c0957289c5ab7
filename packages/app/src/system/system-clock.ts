import type { Clock } from '@chapter/domain';

/** Reads the clock of this machine, in UTC with milliseconds. */
export const systemClock: Clock = { now: () => new Date().toISOString() };
