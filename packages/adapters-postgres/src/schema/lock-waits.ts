import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@chapter/domain';
import { isLockConflict } from '../connection/errors.ts';

/** How a migration waits for tables that other transactions use. */
export interface LockWaits {
  /** How long an attempt waits for each lock, in milliseconds; 0 for no limit. */
  readonly timeoutMs: number;
  /** The maximum number of attempts. */
  readonly attempts: number;
  /** Waits between two attempts. The migration holds only the migration lock meanwhile. */
  readonly pause: () => Promise<unknown>;
}

const PAUSE_MS = 8000;

/**
 * All attempts and pauses take ten minutes, twice as long as an export of a list may take. Requests queue up behind a lock that
 * an attempt waits for, so the timeout is shorter than the time that requests wait for a connection. It is longer than
 * PostgreSQL's `deadlock_timeout` of one second, after which an automatic vacuum gives way.
 */
export const LOCK_WAITS: LockWaits = { timeoutMs: 2000, attempts: 60, pause: () => sleep(PAUSE_MS) };

/**
 * Runs `attempt`, and repeats it while a lock of another transaction makes it fail.
 *
 * @throws DomainError `unavailable` after the last attempt, with a cause that contains the name of the migration.
 */
export const repeatWhileLocked = async <T>(
  { attempts, pause }: Omit<LockWaits, 'timeoutMs'>,
  attempt: () => Promise<T>,
  name: string,
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
    await pause();
  }
};
