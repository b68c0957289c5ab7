import type { IdGenerator } from '@chapter/domain';
import { v7 } from 'uuid';

/** Generates UUIDs of version 7, in ascending order even within a millisecond and after the clock is set back. */
export const uuidIds: IdGenerator = { next: () => v7() };
