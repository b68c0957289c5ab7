import type { IdGenerator } from '@chapter/domain';
import { v7 } from 'uuid';

/** UUIDs of version 7, in order also within a millisecond and where the clock is set back. */
export const uuidIds: IdGenerator = { next: () => v7() };
