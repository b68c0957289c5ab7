import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks: a loop without a pause takes the processor from the work that it waits for. */
const PAUSE_MS = 5;

/** Repeats a look until it finds what it looks for. */
export const until = async (finds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await finds())) await sleep(PAUSE_MS);
};
