import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@chapter/domain/ports';
import { isLockConflict } from '../connection/errors.ts';

/** How a migration waits for tables that other transactions use. */
export interface LockWaits {
  /** How long an attempt waits for each lock, in milliseconds; 0 for no limit. */
  readonly timeoutMs: number;
  readonly attempts: number;
  /** The time between two attempts, in milliseconds. The migration holds only the migration lock meanwhile. */
  readonly pauseMs: number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * All attempts and pauses take ten minutes, twice as long as an export of a list may take. Requests queue up behind a
 * lock that an attempt waits for, so the timeout is shorter than the time that requests wait for a connection. It is
 * longer than PostgreSQL's `deadlock_timeout` of one second, after which an automatic vacuum gives way.
 */
export const LOCK_WAITS: LockWaits = { timeoutMs: 2000, attempts: 60, pauseMs: 8000, pause: sleep };

/** Returns how long a migration waits at most, in milliseconds. */
export const waitLimitOf = ({ timeoutMs, attempts, pauseMs }: LockWaits): number => attempts * (timeoutMs + pauseMs);

/**
 * Runs `attempt`, and repeats it after `pause` while a lock of another transaction makes it fail. `reportWait` runs
 * before the first repetition.
 *
 * @throws DomainError `unavailable` after the last attempt, with a cause that contains the name of the migration.
 */
export const repeatWhileLocked = async <T>(
  attempt: () => Promise<T>,
  name: string,
  attempts: number,
  pause: () => Promise<unknown>,
  reportWait: () => void,
): Promise<T> => {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (made >= attempts) {
        const reason = `another transaction, such as an export, uses a table that ${name} must lock`;
        const advice = `it was still open at attempt ${made}; wait for its end, then migrate again`;
        throw unavailable(new Error(`the migration was refused: ${reason}; ${advice}`, { cause: error }));
      }
    }
    if (made === 1) reportWait();
    await pause();
  }
};
