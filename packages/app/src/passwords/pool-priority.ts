import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** How much further behind others (`nice`, 0 to 19) the threads of the pool stand than the rest of the process. */
const BEHIND = 10;

const TASKS = '/proc/self/task';

/**
 * Lets the threads of Node's pool, which hash, stand back behind the one that serves, so that a flood of logins takes only
 * the time of processors that nobody else wants. Call it when the pool has begun to work. Linux knows threads by their
 * names and gives each a priority; elsewhere this does nothing. Never throws.
 */
export const standBack = (): void => {
  try {
    const own = getPriority();
    for (const task of readdirSync(TASKS)) {
      if (readFileSync(`${TASKS}/${task}/comm`, 'utf8').trim() === 'libuv-worker') {
        setPriority(Number(task), Math.min(19, own + BEHIND));
      }
    }
  } catch {
    // Then they compete as equals: slower for others, but right.
  }
};
