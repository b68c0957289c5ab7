import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * How much lower the priority of the threads that hash is than that of the rest of the process, in steps of `nice` (0 to
 * 19). Chosen by measurements in docs/security.md.
 */
export const POOL_NICE = 5;

const TASKS_DIRECTORY = '/proc/self/task';

/**
 * Lowers the priority of the threads of Node's pool, which hash, so that a flood of logins delays other requests less.
 * Call it when the pool has begun to work. It is lowered for good: without CAP_SYS_NICE, Linux lets no process raise the
 * priority of its threads again (setpriority(2)), so it cannot depend on how many hashes wait. On other systems than
 * Linux, whose threads have no priorities of their own, this does nothing. Never throws.
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
    // The threads then compete as equals: slower for other requests, but correct.
  }
};
