import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * How many `nice` steps (0 to 19) the priority of the hashing threads is below the rest of the process. docs/logins.md has
 * the measurements.
 */
export const POOL_NICE = 5;

const TASKS_DIRECTORY = '/proc/self/task';

/**
 * Lowers the priority of the threads of Node's pool, which compute hashes, so that a flood of logins delays other requests
 * less. Call it after the pool has started its threads. The change is permanent: without CAP_SYS_NICE, a Linux process
 * cannot raise the priority of its threads again (setpriority(2)). Does nothing on other systems, whose threads have no
 * separate priorities. Never throws.
 */
export const lowerThreadPoolPriority = (): void => {
  try {
    const own = getPriority();
    for (const task of readdirSync(TASKS_DIRECTORY)) {
      if (readFileSync(`${TASKS_DIRECTORY}/${task}/comm`, 'utf8').trim() === 'libuv-worker') {
        setPriority(Number(task), Math.min(19, own + POOL_NICE));
      }
    }
  } catch {
    // Without a lower priority, other requests are slower, but nothing breaks.
  }
};
