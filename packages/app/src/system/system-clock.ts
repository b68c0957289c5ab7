import type { Clock } from '@chapter/domain';

/** The time of this machine. */
export const systemClock: Clock = { now: () => new Date().toISOString() };
