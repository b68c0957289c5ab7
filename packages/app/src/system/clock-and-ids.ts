import type { Clock, IdGenerator } from '@chapter/domain';
import { v7 } from 'uuid';

/** Reads the clock of this machine, in UTC with milliseconds. */
export const systemClock: Clock = { now: () => new Date().toISOString() };

/** Generates UUIDs of version 7, in ascending order even within a millisecond and after the clock is set back. */
export const uuidIds: IdGenerator = { next: () => v7() };
